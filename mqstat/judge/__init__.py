"""The engine: judges the rows that the rules of `mqstat/rules` return."""
