"""``palpeur evaluate`` and ``palpeur uncertainty``."""
