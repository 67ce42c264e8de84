"""The campaign: faults without number, by seeds."""
