"""Whole tables: byte for byte what Arrow writes, however they are cut and whatever the names."""

from __future__ import annotations

import io

import numpy as np
import pytest

from reports.csv_text import LabelledRows, labelled_rows

HOSTILE = ["", '"', '""', "a,b", "a\nb", "\r\n", "é–日本", "'=1+1", "\x00", "x" * 3_000]


def quoted(name: str) -> bytes:
    return b'"%s"' % name.encode().replace(b'"', b'""')


def written(numbers: np.ndarray, names: list[str], label_of: np.ndarray) -> bytes:
    sink = io.BytesIO()
    rows = LabelledRows(sink, [quoted(name) for name in names], len(numbers))
    rows.append(numbers, label_of)
    return sink.getvalue()


def test_numbers_are_written_as_arrow_writes_them(hard, arrow_text):
    numbers = hard[None, :]
    found = written(numbers, [""], np.zeros(len(hard), dtype=np.int64)).splitlines()
    wanted = arrow_text(numbers, [""] * len(hard)).splitlines()
    wrong = [pair for pair in zip(found, wanted, strict=True) if pair[0] != pair[1]]
    assert wrong[:5] == []


def test_a_sample_of_them_is_what_repr_says(hard):
    values = hard[np.isfinite(hard)][::3]
    lines = written(values[None, :], [""], np.zeros(len(values), dtype=np.int64)).splitlines()
    texts = [line.removesuffix(b',""').decode() for line in lines]
    assert [repr(float(text)) for text in texts] == [repr(value) for value in values.tolist()]
    lengths = [len(digits(text)) for text in texts]
    assert lengths == [len(digits(repr(value))) for value in values.tolist()]


def digits(text: str) -> str:
    return text.partition("e")[0].replace(".", "").lstrip("-0").rstrip("0")


@pytest.mark.parametrize("room", [1, 5_000, 1 << 20])
def test_tables_with_hostile_names_are_written_as_arrow_writes_them(
    hard, arrow_text, room, monkeypatch
):
    monkeypatch.setattr(labelled_rows, "_ROOM", room)
    rng = np.random.default_rng(4)
    numbers = rng.choice(hard, (7, 400))
    label_of = rng.integers(0, len(HOSTILE), 400)
    found = written(numbers, HOSTILE, label_of)
    assert found == arrow_text(numbers, [HOSTILE[k] for k in label_of])


def test_columns_need_not_be_contiguous(hard, arrow_text):
    numbers = hard[:600].reshape(200, 3).T
    found = written(numbers, ["P0"], np.zeros(400, dtype=np.int64)[::2])
    assert found == arrow_text(np.ascontiguousarray(numbers), ["P0"] * 200)


def test_no_row_writes_nothing():
    assert written(np.zeros((3, 0)), [], np.zeros(0, dtype=np.int64)) == b""


@pytest.mark.parametrize("label", [-1, 2])
def test_a_label_that_is_not_there_is_refused(label):
    with pytest.raises(IndexError, match="There are 2 labels; another one is asked for"):
        written(np.zeros((1, 1)), ["a", "b"], np.array([label]))


@pytest.mark.parametrize("shape", [(3, 2), (2, 1)])
def test_another_shape_is_refused(shape):
    rows = LabelledRows(io.BytesIO(), [b"a"], 2)
    with pytest.raises(ValueError, match="expected 2 columns of one number per label"):
        rows.append(np.zeros(shape), np.zeros(2, dtype=np.int64))


def test_only_large_tables_are_worth_a_compiler():
    assert not labelled_rows.pays(25 * 3_000)  # nine points
    assert labelled_rows.pays(25 * 200_000)  # a thousand
