"""Documents as JSON text."""

from __future__ import annotations

import json
from types import MappingProxyType

import numpy as np
from hypothesis import given
from hypothesis.extra import numpy as arrays

from reports.document_text import document_text, plain


@given(arrays.arrays(np.float64, arrays.array_shapes(max_dims=3, max_side=3)))
def test_numbers_come_back_to_the_last_bit_and_null_where_there_is_none(values):
    text = document_text(MappingProxyType({"values": values, 1: "é"}))
    assert text.endswith("\n")
    assert '"1": "é"' in text
    back = np.array(json.loads(text)["values"], dtype=np.float64)
    expected = np.where(np.isfinite(values), values, np.nan)
    np.testing.assert_array_equal(back.reshape(values.shape), expected)


def test_what_numpy_counts_with_becomes_python_s_own():
    document = (np.int64(3), np.bool_(True), np.float32(0.5), float("inf"), None, "x")
    assert plain(document) == [3, True, 0.5, None, None, "x"]
    assert [type(item) for item in plain(document)[:3]] == [int, bool, float]
