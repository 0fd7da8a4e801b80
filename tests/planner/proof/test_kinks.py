"""Breaks that nobody announced: found by zooming, wherever they are and whatever jumps."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from planner.motion.trajectory import MotionState
from planner.proof import prove
from planner.proof import resolved_motion as pieces_module
from planner.proof.lagrange_torques import LagrangeTorques
from planner.proof.resolved_motion import (
    SmoothPieces,
    Survey,
    kinks,
    resolve,
    smooth_pieces,
    survey,
)
from robots.core.model import Model

ONE = np.ones(5)
SURVEY = Survey(speed=ONE, acceleration=4.0 * ONE, torque=ONE, power=ONE)


class Broken:
    """A smooth motion of every joint, and one whose derivative of an order jumps at an instant."""

    def __init__(self, at, order, height=1.0):
        self.at, self.order, self.height = at, order, height

    def state(self, t, side="right"):
        assert side == "right"
        x = np.maximum(t - self.at, 0.0)
        columns = []
        for k in range(3):
            power = self.order - k
            jumped = self.height * np.where(t > self.at, x ** max(power, 0), 0.0)
            smooth = [np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t)][k]
            added = np.zeros((t.size, 5)) + smooth[:, None]
            added[:, 3] += jumped if power >= 0 else 0.0
            columns.append(added)
        return MotionState(q=columns[0], qd=columns[1], qdd=columns[2])


def one_piece(length=1.3, offset=0.2):
    return SmoothPieces(
        segment=np.zeros(1, dtype=np.int64),
        origin=np.zeros(1),
        offset=np.array([offset]),
        length=np.array([length]),
    )


@pytest.mark.parametrize("at", [0.23, 0.77, 0.85, 1.25, 1.4899])
@pytest.mark.parametrize(("order", "height"), [(0, 1e-3), (1, 0.01), (2, 0.1), (3, 1.0)])
def test_the_break_is_found(at, order, height):
    """A jump of the joints, of speed, of acceleration, of jerk."""
    plan = SimpleNamespace(
        trajectory=Broken(at, order, height), job=SimpleNamespace(mechanism=SimpleNamespace(dof=5))
    )
    x = kinks(plan, one_piece(), SURVEY)[0]
    found = 0.2 + 1.3 * 0.5 * (x + 1.0)
    # 1.3 s · 8 to the power of -11, and rounding of t.
    assert found == pytest.approx(at, abs=2e-10)


@pytest.mark.parametrize("law", ["trapezoid", "bang-bang", "double-s"])
def test_laws_that_nobody_tells_about_are_cut_at_their_switches(jerky, law, monkeypatch):
    from planner.planning import plan as planned

    changed = replace(jerky.job, travel=replace(jerky.job.travel, law=law))
    plan = planned(changed)
    told = resolved(plan)
    monkeypatch.setattr(pieces_module, "switches", lambda *given: [np.zeros(0)] * len(given[2]))
    alone = resolved(plan)
    assert len(smooth_pieces(plan, Model(plan.job.mechanism))) == len(plan.timeline)
    assert alone.roughness.max() < 1e-8
    # A cut in the middle comes first, so a little more pieces than the law has.
    assert len(alone.pieces) <= 2 * len(told.pieces)
    assert prove(plan).passed


def test_a_motion_rough_everywhere_comes_to_an_end(plan, failures, altered):
    """Noise cannot be resolved: the number of pieces stays bounded and the check fails."""

    def added(t):
        noise = 1e-3 * np.sin(1e9 * t)[:, None] * np.ones(5)
        return MotionState(q=noise, qd=noise, qdd=noise)

    found = prove(altered(plan, added))
    assert "resolution" in failures(found)


def resolved(plan):
    model, torques = Model(plan.job.mechanism), LagrangeTorques(plan.job.mechanism)
    return resolve(plan, smooth_pieces(plan, model), torques, survey(plan, model, torques))
