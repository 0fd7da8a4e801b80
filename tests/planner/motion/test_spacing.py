"""Rows of a trajectory file: straight lines between them against the motion itself."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest

from planner.job import read_job
from planner.library import path_of
from planner.motion.sampled_motion import InMemory, sampled
from planner.plan import JUMP
from planner.planning import plan
from planner.proof import prove
from reports.tables import write_trajectory
from robots.library import load

INSIDE = 200  # random instants in a second of motion


def nine(**tables):
    return read_job(path_of("nine-points-corrected")).replace(sampling=None, **tables)


def rubbing():
    """The arm with dry friction, which jumps wherever a joint turns."""
    arm = load("measuring-arm")
    joints = [replace(one, coulomb=5.0, viscous=2.0) if one.movable else one for one in arm.joints]
    return replace(arm, joints=tuple(joints))


JOBS = {
    "to rest": nine,
    "search": lambda: nine(touch={"mode": "search"}),
    "tight": lambda: nine().replace(sampling={"interpolation_error_mm": 0.005}),
    "dry friction": lambda: nine(robot=rubbing()),
    "detour": lambda: read_job(path_of("obstructed")),
    "time-optimal": lambda: read_job(path_of("obstructed")).replace(travel={"law": "time-optimal"}),
}


@pytest.fixture(scope="module", params=JOBS)
def planned(request):
    return plan(JOBS[request.param]())


def read(planned, folder):
    (path,) = write_trajectory(planned, sampled(planned), folder)
    table = pq.read_table(path)
    return table.to_pandas(), json.loads(table.schema.metadata[b"palpeur.interpolation_error"])


def test_straight_lines_keep_the_bounds_that_the_file_states(planned, tmp_path):
    table, bounds = read(planned, tmp_path)
    t = table["t_s"].to_numpy()
    draw = np.random.default_rng(3)
    asked = draw.uniform(0.0, t[-1], int(INSIDE * t[-1]) + 1)
    after = np.searchsorted(t, asked)
    asked = asked[t[after] - t[after - 1] > JUMP]  # where nothing may jump
    assert len(asked) > 0.9 * INSIDE * t[-1]
    exact = planned.trajectory.state(asked)
    model, n = planned.trajectory.model, planned.job.mechanism.dof
    tau = model.torques(exact.q, exact.qd, exact.qdd)
    power = np.sum(tau * exact.qd, axis=1)
    ball = model.forward(exact.q)[:, :3, 3]
    columns = np.column_stack([exact.q, exact.qd, exact.qdd, tau, power, ball])
    names = list(table.columns[3:])
    assert set(bounds) <= set(names)
    assert {"q1_rad", "qdd1_rad_s2", "tau1_nm", "power_w", "x_m"} <= set(bounds)
    assert bounds["x_m"] == bounds["q1_rad"] == planned.job.interpolation_error
    for name, values in zip(names, columns.T, strict=True):
        if name in bounds:
            line = np.interp(asked, t, table[name])
            assert np.max(np.abs(line - values)) <= bounds[name], name
    assert len(bounds) >= 4 * n  # one joint of the arm may stand still


def test_rows_are_few_and_in_order(planned, tmp_path):
    """At most half of one every millisecond at 0.1 mm, and so many more as the error asks for."""
    table, _ = read(planned, tmp_path)
    finer = np.sqrt(1e-4 / planned.job.interpolation_error)
    assert len(table) < 500.0 * planned.totals.duration * finer
    assert (np.diff(table["t_s"]) >= 0.0).all()
    assert table["t_s"].iloc[-1] == pytest.approx(planned.totals.duration, rel=1e-15)


def test_both_sides_of_a_jump_are_rows_of_one_instant(tmp_path):
    """Bang-bang: the acceleration changes its sign in the middle of every travel."""
    table, _ = read(plan(nine(travel={"law": "bang-bang"})), tmp_path)
    same = np.flatnonzero(np.diff(table["t_s"]) == 0.0)
    push = table[[f"qdd{k}_rad_s2" for k in range(1, 6)]].to_numpy()
    flips = np.all(push[same] == -push[same + 1], axis=1) & np.any(push[same] != 0.0, axis=1)
    assert np.count_nonzero(flips) == 8
    assert (np.diff(table["segment"].to_numpy()[same + 1][flips]) > 0).all()


def drop(samples, row):
    names = ("t", "segment", "q", "qd", "qdd", "tau", "position")
    return replace(samples, **{name: np.delete(getattr(samples, name), row, 0) for name in names})


def test_the_proof_misses_a_row_and_an_acceleration_of_the_wrong_side():
    made = plan(nine())
    (samples,) = sampled(made).blocks()
    assert prove(made, InMemory(samples=samples)).passed
    wide = int(np.argmax(np.abs(np.diff(samples.qdd[:, 0], n=2)))) + 1
    failed = prove(made, InMemory(samples=drop(samples, wide))).failures
    assert [one.name for one in failed] == ["between samples"]
    edge = int(np.flatnonzero(np.diff(samples.t) == 0.0)[0]) + 1
    assert np.any(samples.qdd[edge] != 0.0)
    qdd = samples.qdd.copy()
    qdd[edge] *= 1.001
    failed = prove(made, InMemory(samples=replace(samples, qdd=qdd))).failures
    assert "sample rates" in [one.name for one in failed]
