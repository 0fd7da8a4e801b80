"""Measuring arms of several dimensions, and random targets that they reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from robots.core.denavit_hartenberg import DhRow
from robots.core.mechanism import Joint, JointKind, Mechanism
from robots.library import load

HALF_PI = np.pi / 2


def tool_along(angle: float, length: float, side: tuple[float, float] = (0.0, 0.0)) -> np.ndarray:
    """A stylus at an angle from x5, in the plane normal to z5; its ball perhaps beside it."""
    T = np.eye(4)
    d = np.array([np.cos(angle), np.sin(angle), 0.0])
    z5 = np.array([0.0, 0.0, 1.0])
    T[:3, 0], T[:3, 1], T[:3, 2] = z5, np.cross(d, z5), d
    T[:3, 3] = length * d + side[0] * z5 + side[1] * np.cross(z5, d)
    return T


def rows(r1: float, d3: float, r4: float, offsets: np.ndarray) -> list[DhRow]:
    lengths = [(0.0, r1), (0.0, 0.0), (d3, 0.0), (0.0, r4), (0.0, 0.0)]
    alphas = [0.0, HALF_PI, 0.0, HALF_PI, -HALF_PI]
    return [
        DhRow(alpha=alpha, d=d, theta=theta, r=r)
        for alpha, (d, r), theta in zip(alphas, lengths, offsets, strict=True)
    ]


def make(
    *,
    r1: float = 0.4,
    d3: float = 1.0,
    r4: float = 1.5,
    offsets: tuple[float, ...] = (0.0,) * 5,
    tool: np.ndarray | None = None,
) -> Mechanism:
    joints = [
        Joint(
            name=f"q{k + 1}",
            kind=JointKind.REVOLUTE,
            parent=k - 1,
            placement=row.pose(),
            q_min=-np.pi,
            q_max=np.pi,
        )
        for k, row in enumerate(rows(r1, d3, r4, np.array(offsets)))
    ]
    return Mechanism(
        name="arm", joints=tuple(joints), tool=tool_along(-HALF_PI, 0.0) if tool is None else tool
    )


@pytest.fixture(scope="session")
def make_arm() -> Callable[..., Mechanism]:
    return make


@pytest.fixture(scope="session")
def make_tool() -> Callable[..., np.ndarray]:
    return tool_along


@pytest.fixture(scope="session")
def arm() -> Mechanism:
    return load("measuring-arm")


@pytest.fixture(scope="session")
def arms(arm) -> dict[str, Mechanism]:
    """The shipped arm and others that differ in everything the family leaves free."""
    return {
        "shipped": arm,
        "with a stylus": replace(arm, tool=tool_along(-HALF_PI, 0.15)),
        "other lengths": make(r1=-0.2, d3=0.6, r4=0.35, tool=tool_along(0.7, 0.08)),
        "offsets": make(offsets=(0.3, -1.1, 2.0, 0.4, -0.9), tool=tool_along(2.4, -0.1)),
        "equal arms": make(r1=0.0, d3=0.5, r4=0.5, tool=tool_along(0.0, 0.2)),
    }


@pytest.fixture(scope="session")
def random_postures() -> Callable[..., np.ndarray]:
    def draw(count: int, seed: int = 0) -> np.ndarray:
        return np.random.default_rng(seed).uniform(-np.pi, np.pi, (count, 5))

    return draw
