"""What `mqstat.spark` consists of: work for the workers of Spark."""
