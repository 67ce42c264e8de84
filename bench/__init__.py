"""Measurements: speed and memory of the whole commands on big built dumps, and the two decoders side by side."""
