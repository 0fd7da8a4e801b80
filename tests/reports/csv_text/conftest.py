"""Doubles that are hard to write, and Arrow's text of them."""

from __future__ import annotations

import io

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest


def _near(values: np.ndarray) -> np.ndarray:
    """Values with the doubles on both sides of them."""
    return np.concatenate([np.nextafter(values, 0.0), values, np.nextafter(values, np.inf)])


def _hard() -> np.ndarray:
    rng = np.random.default_rng(20)
    anywhere = rng.integers(0, 1 << 64, 100_000, dtype=np.uint64, endpoint=False).view(float)
    subnormal = rng.integers(0, 1 << 52, 10_000, dtype=np.uint64).view(float)
    smallest = np.arange(2_000, dtype=np.uint64).view(float)
    twos = _near(np.ldexp(1.0, np.arange(-1074, 1024)))
    tens = _near(np.array([float(f"1e{k}") for k in range(-323, 309)]))
    few = [float(f"{m}e{e}") for e in range(-30, 30) for m in rng.integers(1, 10**6, 100).tolist()]
    layout = _near(np.array([9.99999e-7, 1e-6, 1e-5, 0.1, 1.0, 10.0, 1e7, 1e8, 1e9, 1e10, 1e16]))
    lengths = rng.uniform(-1, 1, (23, 1_000)) * 10.0 ** np.arange(-11, 12)[:, None]
    whole = np.concatenate([np.arange(10_000.0), rng.integers(0, 1 << 63, 10_000).astype(float)])
    # Halfway between two shortest decimals, and doubles known to be written wrong by some.
    known = [2.0**-44, 2e23, 9007199254740993.0, 5e-324, 2.2250738585072014e-308, 1.7e308, 2e-323]
    known += [9.5367431640625e-07, 4.35, 2.98023223876953125e-8, 1.7976931348623157e308]
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 0.3, 0.1 + 0.2, -1e-6])
    parts = [anywhere, subnormal, smallest, twos, tens, few, layout, lengths.ravel(), whole, known]
    parts += [np.arange(20_000) * 0.001, special]
    joined = np.concatenate(parts)
    return np.concatenate([joined, -joined[::3]])


@pytest.fixture(scope="session")
def hard():
    """Some 230,000 doubles. # (n,)."""
    return _hard()


@pytest.fixture(scope="session")
def arrow_text():
    """``arrow_text(numbers, names)`` → what Arrow writes of a number, a name and more numbers."""

    def write(numbers: np.ndarray, names: list[str]) -> bytes:
        first, *others = (pa.array(column) for column in numbers)
        cells = [first, pa.array(names, pa.string()), *others]
        batch = pa.record_batch(cells, names=[str(k) for k in range(len(cells))])
        sink = io.BytesIO()
        options = pyarrow.csv.WriteOptions(include_header=False)
        pyarrow.csv.write_csv(batch, sink, write_options=options)
        return sink.getvalue()

    return write
