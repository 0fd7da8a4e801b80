"""Settings shared by all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Fixed examples in every run; the machine is shared, so time says nothing about the code.
settings.register_profile(
    "palpeur", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("palpeur")
