"""Cells of a path: within panels, finer at rest, and as much room as they need."""

import numpy as np
import pytest

from robots.core.model import Model
from robots.core.motion import time_optimal as law
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.joint_path import JointPath
from robots.core.motion.path_cells import first_cells
from robots.core.motion.phase_plane import Pieces
from robots.library import load

ARM = load("measuring-arm")


def path_of(waypoints, width):
    return JointPath.blended(
        waypoints, np.full(len(waypoints) - 2, width), np.full(waypoints.shape[1], 2.0)
    )


def pieces_of(path, room):
    return Pieces(
        length=path.length,
        powers=path.powers,
        straight=path.straight.astype(np.int64),
        stops=path.stops.astype(np.int64),
        cells=np.empty(len(path.length) + 1, dtype=np.int64),
        place=np.full(room, np.nan),
    )


@pytest.mark.parametrize("panels", [1, 4, 5, 32])
def test_first_cells_lie_in_one_panel_each(panels):
    path = path_of(np.array([[0.0, 0.0], [1.0, 0.5], [0.0, 1.0]]), 0.2)
    numbers = panels * np.arange(len(path.length) + 1)
    nodes = law._Room.of(2, 400, limited=True).nodes
    pieces = pieces_of(path, 400)
    size = first_cells(pieces, numbers, nodes)
    assert size == pieces.cells[-1] + len(path.length)
    for p, length in enumerate(path.length):
        place = pieces.place[pieces.cells[p] + p : pieces.cells[p + 1] + p + 1]
        assert place[0] == 0.0
        assert place[-1] == length
        assert np.all(np.diff(place) > 0.0)
        borders = np.linspace(0.0, length, panels + 1)
        assert np.all(np.min(np.abs(borders[:, None] - place), axis=1) <= 1e-12 * length)
    # From rest x rises from zero.
    steps = np.diff(pieces.place[: pieces.cells[1] + 1])
    assert steps[0] < 0.2 * steps[-1]
    short = pieces_of(path, size - 1)
    assert first_cells(short, numbers, nodes) == size
    assert np.all(np.isnan(short.place))


@pytest.mark.parametrize("efforts", [False, True])
def test_room_is_made_for_as_many_cells_as_a_path_needs(efforts, monkeypatch):
    waypoints = np.random.default_rng(6).uniform(-1.0, 1.0, (5, ARM.dof))
    path = JointPath.blended(waypoints, np.full(3, 0.1), ARM.max_speed)
    limits = JointLimits.of(ARM)
    if not efforts:
        limits = JointLimits(max_speed=limits.max_speed, max_acceleration=limits.max_acceleration)
    model = Model(ARM)
    (roomy,) = law.time_optimal([path], limits, model)
    monkeypatch.setattr(law, "_FIRST_ROOM", 8)
    monkeypatch.setattr(law, "_MEMORY", law._Memory())
    (found,) = law.time_optimal([path], limits, model)
    assert found.duration == roomy.duration
    assert found.shortest == roomy.shortest
    np.testing.assert_array_equal(found.push, roomy.push)
