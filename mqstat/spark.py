"""mqstat on a Spark cluster: `pip install 'mqstat[spark]'` on the driver and all workers; docs/spark.md shows it in
use.
"""

from __future__ import annotations

from mqstat.api.spark.ingesting import ingest
from mqstat.api.spark.judging import check

__all__ = ["check", "ingest"]
