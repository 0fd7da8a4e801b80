"""Units of files: one rounding, and every double comes back."""

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.core.file_units import (
    decimal_of,
    degrees_text,
    metres,
    millimetres_text,
    number_text,
    radians,
    rounded_angle,
    rounded_length,
)

FINITE = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e150, max_value=1e150)


@given(value=FINITE)
def test_every_double_is_written_so_that_it_reads_back(value):
    assert float(Decimal(number_text(value))) == value
    assert metres(Decimal(millimetres_text(value))) == value
    assert radians(Decimal(degrees_text(value))) == value


def test_printed_decimals_become_the_nearest_doubles():
    """409.82 mm of [LAMMARI12] table VI.2; scaling the double gives its neighbour."""
    assert metres(Decimal("1513.9")) == 1.5139
    assert metres(Decimal("409.82")) == 0.40982
    assert radians(Decimal(90)) == math.pi / 2
    assert radians(Decimal(-180)) == -math.pi


@pytest.mark.parametrize("degrees", ["90", "-45", "30", "0.1", "359.99"])
def test_round_angles_are_written_round(degrees):
    assert degrees_text(radians(Decimal(degrees))) == degrees


def test_rounding_finds_the_round_number_behind_rounding_noise():
    assert degrees_text(rounded_angle(math.atan2(1.0, math.sqrt(3.0)))) == "30"
    assert millimetres_text(rounded_length(0.1 + 0.2)) == "300"


def test_very_large_and_small_numbers_take_an_exponent():
    assert number_text(1e300) == "1E+300"
    assert number_text(-2.5e-30) == "-2.5E-30"


def test_what_is_no_number_is_not_a_number():
    assert decimal_of("1e99999999999999999999").is_nan()
