"""How many parameters a kind of measurement tells, and which look like others."""

from __future__ import annotations

import numpy as np
import pytest

from robots.core.identification.identifiability import identifiable
from robots.core.identification.measurements import MeasurementKind
from tests.cases import some


@pytest.mark.parametrize(
    ("robot", "revolute", "prismatic"),
    some(
        [("gantry-5", 2, 3), ("industrial-6r", 6, 0), ("stanford", 5, 1), ("measuring-arm", 5, 0)],
        gate=1,
    ),
)
def test_the_count_is_everetts(make_scene, robot, revolute, prismatic):
    # A minimal and complete model has 4R + 2P + 6 parameters; a ball has no orientation: 3 fewer.
    points = 4 * revolute + 2 * prismatic + 3
    # Lengths do not tell the place of the whole arm. Neither do spheres, nor the scale, unless the
    # reading of a slide says what a metre is.
    lengths = points - 6
    expected = {
        MeasurementKind.POINT: points,
        MeasurementKind.LENGTH: lengths,
        MeasurementKind.SPHERE: lengths if prismatic else lengths - 1,
    }
    for kind, count in expected.items():
        scene = make_scene(kind, robot=robot, starts=60)
        assert len(identifiable(scene.arm, scene.given).kept) == count


def test_parallel_axes_need_the_tilt_and_share_one_shift(make_scene):
    scene = make_scene(MeasurementKind.LENGTH)
    told = identifiable(scene.arm, scene.given)
    names = {scene.arm.names[k] for k in told.kept}
    assert "q3 beta" in names  # axes 2 and 3 are parallel
    dropped = {d.name: d for d in told.dropped}
    assert dropped["q3 r"].looks_like == (("q2 r", pytest.approx(1.0)),)
    assert dropped["q3 r"].reason == "looks like +1 q2 r"
    assert dropped["q1 theta"].reason == "no effect on what is measured"


def test_spheres_leave_the_whole_arm_free(make_scene):
    scene = make_scene(MeasurementKind.SPHERE)
    told = {d.name: d for d in identifiable(scene.arm, scene.given).dropped}
    assert told["q1 r"].reason == "looks like the spheres elsewhere"
    assert told["q4 r"].moves_all  # the scale


def test_what_is_dropped_changes_nothing_that_is_measured(make_scene):
    # Oracle: the distances of the arm with a dropped error equal those with what it looks like.
    scene = make_scene(MeasurementKind.LENGTH)
    arm, step = scene.arm, 1e-6
    q = scene.given.q[scene.given.pairs]
    for dropped in identifiable(arm, scene.given).dropped:
        with_it, like_it = np.zeros(len(arm.names)), np.zeros(len(arm.names))
        with_it[arm.names.index(dropped.name)] = step
        for name, factor in dropped.looks_like:
            like_it[arm.names.index(name)] += factor * step
        lengths = [
            np.linalg.norm(np.diff(arm.model.positions(q, e), axis=1), axis=-1)
            for e in (with_it, like_it)
        ]
        # Second order in the step: 1e-12 of a metre.
        np.testing.assert_allclose(lengths[0], lengths[1], atol=1e-11)


def test_only_what_is_sought_is_looked_at(make_scene):
    scene = make_scene(MeasurementKind.LENGTH)
    place = scene.arm.names.index("q3 r")
    assert identifiable(scene.arm, scene.given, [place]).kept == (place,)
