"""The Parquet dataset: one folder per table, partitioned by local date, and a manifest that lists its files."""
