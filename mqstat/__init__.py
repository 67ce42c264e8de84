"""mqstat: reads IBM MQ for z/OS SMF type 115 and 116 dumps, reports on them and judges them."""

__version__ = "0.1.0"
