"""Options whose values do not fit: told with the value that was found."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ("measure", "j.toml", "--form-um", "nan"),
            "Invalid value for '--form-um': found nan; expected at least 0.",
        ),
        (
            ("measure", "j.toml", "--form-um", "two"),
            "Invalid value for '--form-um': found two; expected a number, such as 1.5.",
        ),
        (
            ("batch", "j", "--workers", "two"),
            "Invalid value for '--workers': found two; expected a whole number, such as 12.",
        ),
        (
            ("sample", "ball", "--feature", "sphere", "--count", "1e9"),
            "Invalid value for '--count': found 1e9; expected a whole number, such as 12.",
        ),
        (
            ("robot", "bench", "measuring-arm", "--runs", "1000"),
            "Invalid value for '--runs': found 1000; expected at most 99.",
        ),
    ],
)
def test_a_value_that_does_not_fit_is_told(palpeur, words, told):
    ran = palpeur(*words)
    assert ran.code == 2
    assert ran.err.endswith(f"Error: {told}\n")
