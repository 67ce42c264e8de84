"""mqstat: reads IBM MQ for z/OS SMF type 115 and 116 dumps, reports on them and judges them."""

from __future__ import annotations

__version__ = "0.1.0"
