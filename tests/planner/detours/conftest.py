"""The measuring arm between two places, with boxes in between."""

from __future__ import annotations

import numpy as np
import pytest

from parts.geometry import TriangleMesh
from planner.clearance.checker import Checker
from planner.detours.motions import TravelSpace
from planner.job.solids import Cell, Solid, SolidKind
from robots.core.model import Model

# Outward triangles of a box whose corner i has the bits of i as coordinates.
SIDES = np.array(
    [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]]
)
TRIANGLES = np.concatenate([SIDES[:, [0, 1, 2]], SIDES[:, [0, 2, 3]]])


def box(low, high):
    """A closed mesh. [m]"""
    bits = np.array([[i >> axis & 1 for axis in range(3)] for i in range(8)])
    return TriangleMesh(
        vertices=np.where(bits, np.asarray(high, float), np.asarray(low, float)), faces=TRIANGLES
    )


@pytest.fixture(scope="session")
def arm(corrected_job):
    """Stylus of no length; capsules of the library's robot file."""
    return Model(corrected_job.mechanism, engine="compiled")


@pytest.fixture(scope="session")
def make_room(arm, limits):
    """Room with obstacles (low, high) and, if wanted, a part: ``make_room([...], part=(a, b))``."""

    def made(boxes, part=None, required=0.01):
        solids = [
            Solid(name=f"box {k}", kind=SolidKind.OBSTACLE, mesh=box(*corners), closed=True)
            for k, corners in enumerate(boxes)
        ]
        if part is not None:
            solids.insert(0, Solid(name="part", kind=SolidKind.PART, mesh=box(*part), closed=True))
        cell = Cell(solids=tuple(solids))
        return TravelSpace(
            model=arm,
            cell=cell,
            checker=Checker(arm, cell),
            limits=limits,
            lower=arm.mechanism.q_min,
            upper=arm.mechanism.q_max,
            required=required,
        )

    return made


@pytest.fixture(scope="session")
def posture(inverse, arm):
    """A posture with the ball at a place, the stylus down: ``posture(x, y, z)``."""

    def found(*place):
        solutions = inverse.solve(np.array([place]), np.array([[0.0, 0.0, -1.0]]))
        inside = np.all(
            (solutions.q[0] >= arm.mechanism.q_min) & (solutions.q[0] <= arm.mechanism.q_max),
            axis=1,
        )
        return solutions.q[0][solutions.solved[0] & inside][0]

    return found


WALL = ((-0.05, 0.5, -3.0), (0.05, 3.0, -0.2))
HIGH_WALL = ((-0.05, 0.4, -3.0), (0.05, 3.0, 3.0))
ROOF = ((-0.05, 0.4, 0.9), (0.05, 3.0, 3.0))


@pytest.fixture(scope="session")
def ends(posture):
    """Left and right of the wall. # (1, n) each."""
    return posture(-0.9, 0.95, -0.5)[None], posture(0.9, 0.95, -0.5)[None]


@pytest.fixture(scope="session")
def wall():
    return WALL


@pytest.fixture(scope="session")
def high_wall():
    return HIGH_WALL


@pytest.fixture(scope="session")
def roof():
    return ROOF
