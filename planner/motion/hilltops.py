"""The top of a hill whose foot is known, by a polynomial through nine values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from robots.core.arrays import Array, Indices

# Values of hills at places: (hill, x), each (m,) -> (m,).
At = Callable[[Indices, Array], Array]

_NODES = 9
_NEWTON = 4
_FITS = 1e-10  # difference of polynomial and function, relative to the values around the hill
_ZOOM = 9  # points per zoom: the bracket shrinks four times
_ZOOMS = 20


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tops:
    """Largest values and their places, one per hill. # (h,) each."""

    value: Array
    x: Array


def hilltops(at: At, left: Array, right: Array) -> Tops:
    """Largest value of each hill between two places.

    Args:
        at: the functions.
        left: one foot of each hill. # (h,)
        right: the other foot. # (h,)
    """
    nodes, to_powers = _fit()
    half, middle = 0.5 * (right - left), 0.5 * (right + left)
    hill = np.arange(len(left))
    x = np.clip(middle[:, None] + half[:, None] * nodes, left[:, None], right[:, None])
    values = at(np.repeat(hill, _NODES), x.ravel()).reshape(x.shape)
    best = np.argmax(values, axis=1)
    highest, size = values[hill, best], np.max(np.abs(values), axis=1)
    powers = (values - highest[:, None]) @ to_powers
    u = _summit(powers, nodes[best])
    place = np.clip(middle + half * u, left, right)
    value = at(hill, place)
    misfit = np.abs(highest + _horner(powers, u) - value) > _FITS * size
    better = value > highest
    value = np.where(better, value, highest)
    place = np.where(better, place, x[hill, best])
    kinked = np.nonzero(misfit)[0]
    if kinked.size:
        zoomed = _zoomed(lambda h, y: at(kinked[h], y), place[kinked], half[kinked] / 2.0)
        better = zoomed.value > value[kinked]
        value[kinked] = np.where(better, zoomed.value, value[kinked])
        place[kinked] = np.where(better, zoomed.x, place[kinked])
    return Tops(value=value, x=place)


@cache
def _fit() -> tuple[Array, Array]:
    """Nodes of Chebyshev and Lobatto on [-1, 1], and what turns values there into powers."""
    nodes = -np.cos(np.pi * np.arange(_NODES) / (_NODES - 1))
    return nodes, np.linalg.inv(np.vander(nodes, increasing=True)).T


def _summit(powers: Array, u: Array) -> Array:
    """Place where the polynomials are highest, from a place nearby; kept in [-1, 1]. # (h,)."""
    orders = np.arange(1, _NODES)
    slope = powers[:, 1:] * orders
    curve = slope[:, 1:] * orders[:-1]
    for _ in range(_NEWTON):
        bend = _horner(curve, u)
        step = np.where(bend < 0.0, _horner(slope, u) / np.where(bend < 0.0, bend, 1.0), 0.0)
        u = np.clip(u - np.clip(step, -0.5, 0.5), -1.0, 1.0)
    return u


def _horner(powers: Array, u: Array) -> Array:
    value = powers[:, -1].copy()
    for k in range(powers.shape[1] - 2, -1, -1):
        value = value * u + powers[:, k]
    return value


def _zoomed(at: At, center: Array, step: Array) -> Tops:
    """Tops that no polynomial fits: the best of nine places, again and again closer."""
    offsets = np.linspace(-1.0, 1.0, _ZOOM)
    hill = np.arange(len(center))
    best = at(hill, center)
    for _ in range(_ZOOMS):
        x = np.clip(center[:, None] + step[:, None] * offsets, 0.0, 1.0)
        values = at(np.repeat(hill, _ZOOM), x.ravel()).reshape(x.shape)
        top = np.argmax(values, axis=1)
        better = values[hill, top] > best
        center = np.where(better, x[hill, top], center)
        best = np.maximum(best, values[hill, top])
        step = step / 4.0
    return Tops(value=best, x=center)
