"""Measurements: speed and memory of whole commands on large synthetic dumps, and a comparison of the two decoders."""
