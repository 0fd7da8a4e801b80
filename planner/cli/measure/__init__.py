"""Commands that measure without a machine: virtual measurement, numbers of points, tests."""
