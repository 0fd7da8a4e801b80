"""Damaged files of every format: an error of ours, or points; never anything else."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parts.errors import PointsError
from parts.points import FORMATS, read_raw_points, surface_points
from tests.cases import cases

CASES = cases(gate=300, soak=4_000)  # for each of six files
PIECES = [
    *(b"\0", b"\xff", b"\xef\xbb\xbf", b"\r", b"\n\n", b",", b";", b"\t", b'"', b"'", b"$", b"$$"),
    *(b"nan", b"-inf", b"1e999", b"1e-9999999999999999999", b"0x1p3", b"1_0", b"1,5", b"\xd9\xa1"),
    *(b"<", b"</", b"&a;", b"<!ENTITY a 'b'>", b"<!DOCTYPE a>", b"<![CDATA[", b"-->", b"xmlns='a'"),
    *(b"GOTO/", b"F(A)=FEAT/POINT,CART", b"ENDMES\n", b"UNITS/INCH\n", b"(((((", b"METRIC", b"SP"),
    b"9" * 400,
]


def damaged(raw, rng):
    """The file with one to four pieces cut, doubled, moved, flipped or put in."""
    data = bytearray(raw)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data) + 1)
        end = min(len(data), at + rng.randint(1, 12))
        kind = rng.randrange(6)
        if kind == 0:
            del data[at:end]
        elif kind == 1:
            data[at:at] = data[at:end]
        elif kind == 2:
            data[at:at] = rng.choice(PIECES)
        elif kind == 3:
            data[at:end] = rng.choice(PIECES)
        elif kind == 4 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        else:
            del data[at:]
    return bytes(data)


def outcome(raw, name, **options):
    """What reading gives: points that keep their promises, or the message."""
    message = ""
    try:
        found = read_raw_points(raw, origin=name, **options)
        ball = found.source.ball_diameter
        points = surface_points(found, ball_diameter=0.0 if ball is None else ball).points
    except PointsError as error:
        message = error.message
    if message:
        assert message.startswith(name)
        assert message.isprintable()
        assert len(message) < 2_000
        return message
    assert np.all(np.isfinite(points.positions))
    assert np.abs(np.linalg.norm(points.normals, axis=1) - 1.0).max() < 1e-15
    assert len(set(points.names)) == len(points)
    return ""


@pytest.mark.parametrize("name", ["a.csv", "a.xyz", "a.pts", "a.dmi", "a.qif", "results.qif"])
def test_damaged_files(samples, name):
    rng = random.Random(name)
    unit = "mm" if name == "a.pts" else None
    messages = {outcome(damaged(samples[name], rng), name, unit=unit) for _ in range(CASES)}
    # Some are still read, and the errors are not all the same one.
    assert "" in messages
    assert len(messages) > 50


@given(raw=st.binary(max_size=200), kind=st.sampled_from([None, *FORMATS]))
@settings(max_examples=cases(gate=30, soak=600))
def test_any_bytes(raw, kind):
    outcome(raw, "p", unit="mm", format=kind)


CELLS = st.one_of(
    st.floats(allow_nan=True).map(repr),
    st.decimals(-100, 100, places=3).map(lambda value: str(value).replace(".", ",")),
    st.sampled_from(["", "A", "CART", "1e5", "-0", '"x"', "SP"]),
)


@given(
    rows=st.lists(st.lists(CELLS, min_size=1, max_size=9), max_size=4),
    separator=st.sampled_from([",", ";", "\t", " "]),
    kind=st.sampled_from(sorted(set(FORMATS) - {"qif"})),
)
@settings(max_examples=cases(gate=30, soak=600))
def test_any_table(rows, separator, kind):
    heads = {
        "csv": separator.join(["name", "x_mm", "y_mm", "z_mm", "nx", "ny", "nz"]),
        "xyz": "XYZIJK    METRIC",
        "dmis": "UNITS/MM\nMEAS/PLANE,F(A),0",
        "power-inspect": "",
    }
    start = "PTMEAS/CART," if kind == "dmis" else ""
    lines = [heads.get(kind, ""), *(start + separator.join(row) for row in rows)]
    outcome("\n".join(lines).encode(), "p", unit="mm", format=kind)
