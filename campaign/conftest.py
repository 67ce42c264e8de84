"""Tests of Spark are run by test_spark.py, which has installed pyspark."""

from __future__ import annotations

collect_ignore = ["spark"]
