"""Unattended daily runs: ingest the dumps that arrived in a folder, write the report of each day, remove old days."""
