"""Settings shared by all tests."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# Fixed examples in every run; the machine is shared, so time says nothing about the code.
settings.register_profile(
    "palpeur", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("palpeur")

# Tests start hundreds of processes; none should compile Palpeur's sources again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
