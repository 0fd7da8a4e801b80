"""Worked example: tables VI.7 and VI.8 of [LAMMARI12], in both readings (sources.md decision 2)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parts.points import ProbePoints
from planner import library
from planner.job import Approach, Checks, Job, PlacedPart, Probe, Travel, read_job
from planner.job.settings import Touch
from planner.reach.placement import place
from robots.core.pose import make_pose, rotation_zyx
from robots.library import load
from robots.robot import Robot

NORMAL = np.array([0.10, 0.25, 1.0]) / np.linalg.norm([0.10, 0.25, 1.0])
TABLE_VI_7 = np.array(
    [
        [0.050, 0.050, 0.3825],
        [0.050, 0.200, 0.3450],
        [0.050, 0.350, 0.3075],
        [0.250, 0.350, 0.2875],
        [0.250, 0.200, 0.3250],
        [0.250, 0.050, 0.3625],
        [0.450, 0.050, 0.3425],
        [0.450, 0.200, 0.3050],
        [0.450, 0.350, 0.2675],
    ]
)
TABLE_VI_8 = np.array(  # also Tableaux 1 and 3; P'i lie 0.0500 higher
    [
        [0.3983, 1.5183, 1.2225],
        [0.4733, 1.6482, 1.1850],
        [0.5483, 1.7781, 1.1475],
        [0.7215, 1.6781, 1.1275],
        [0.6465, 1.5482, 1.1650],
        [0.5715, 1.4183, 1.2025],
        [0.7447, 1.3183, 1.1825],
        [0.8197, 1.4482, 1.1450],
        [0.8947, 1.5781, 1.1075],
    ]
)


def turned(degrees, vectors):
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return vectors @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])


@pytest.fixture(scope="module")
def published():
    return place(read_job(library.path_of("nine-points-as-published")))


@pytest.fixture(scope="module")
def corrected():
    return place(read_job(library.path_of("nine-points-corrected")))


def test_the_part_points_are_those_of_table_vi_7():
    job = read_job(library.path_of("nine-points-corrected"))
    assert np.array_equal(job.points.positions, TABLE_VI_7)
    assert np.abs(job.points.normals - NORMAL).max() < 2e-16
    assert np.abs(TABLE_VI_7 @ [0.10, 0.25, 1.0] - 0.40).max() < 1e-15


def test_published_points_are_table_vi_8(published):
    # Four printed decimals: half a unit of the last.
    assert np.abs(published.contacts - TABLE_VI_8).max() < 5e-5
    assert np.abs(published.clearances - (TABLE_VI_8 + np.array([0, 0, 0.05]))).max() < 5e-5
    exact = turned(-30.0, TABLE_VI_7) + np.array([0.33, 1.5, 0.84])
    assert np.abs(published.contacts - exact).max() < 4e-16
    assert np.array_equal(published.clearances, published.contacts + np.array([0, 0, 0.05]))
    assert np.abs(published.axes + NORMAL).max() < 2e-16  # not turned with the part


def test_corrected_points_are_what_the_text_says(corrected):
    contacts = turned(30.0, TABLE_VI_7) + np.array([0.0, 1.5, 0.84])
    normal = turned(30.0, NORMAL)
    # Sums of three products of numbers below 2: a few units in the last place.
    assert np.abs(corrected.contacts - contacts).max() < 1e-15
    assert np.abs(corrected.normals - normal).max() < 1e-15
    assert np.abs(corrected.clearances - (contacts + 0.05 * normal)).max() < 1e-15
    assert np.array_equal(corrected.directions, corrected.normals)
    assert np.array_equal(corrected.axes, -corrected.normals)


def test_what_was_wrong_has_the_size_that_the_comments_state(published, corrected):
    cosine = published.approach_cosines
    assert np.degrees(np.arccos(cosine)) == pytest.approx(15.07, abs=5e-3)
    assert 1e3 * 0.05 * cosine == pytest.approx(48.28, abs=5e-3)
    off = turned(-30.0, NORMAL) @ published.normals[0]
    assert np.degrees(np.arccos(off)) == pytest.approx(7.7, abs=0.05)
    assert corrected.approach_cosines == pytest.approx(1.0, abs=4e-16)


def make_job(*, T=None, frame="part", direction=None, probe=None, points=None):
    arm = load("measuring-arm")
    if points is None:
        points = ProbePoints(
            names=("A", "B"),
            positions=[[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]],
            normals=[[0.0, 0.6, 0.8], [1.0, 0.0, 0.0]],
        )
    return Job(
        name="made",
        sha256="",
        inputs=(),
        robot=Robot(arm),
        robot_model="measuring-arm",
        mechanism=arm,
        points=points,
        frame=frame,
        part=PlacedPart(T_base_part=np.eye(4) if T is None else T),
        probe=Probe() if probe is None else probe,
        approach=Approach(distance=0.03, direction=direction),
        touch=Touch(search_before=0.004, search_after=0.002, back_off=0.001),
        travel=Travel(),
        checks=Checks(joint_margin=0.0, clearance=0.0, torque_limits=arm.max_effort),
        sampling_period=1e-3,
    )


LINE = ("search_starts", "search_ends", "line_ends", "back_offs")

angles = st.floats(-np.pi, np.pi)
lengths = st.floats(-2.0, 2.0)
poses = st.builds(
    lambda a, t: make_pose(rotation_zyx(np.array(a)), t),
    st.tuples(angles, angles, angles),
    st.tuples(lengths, lengths, lengths),
)


@given(T=poses)
def test_placing_commutes_with_moving_the_part(T):
    """Everything that depends on the part alone moves rigidly with it."""
    probe = Probe(ball_diameter=0.006)
    still, moved = place(make_job(probe=probe)), place(make_job(T=T, probe=probe))
    for name in ("surfaces", "contacts", "clearances", *LINE):
        expected = getattr(still, name) @ T[:3, :3].T + T[:3, 3]
        assert np.abs(getattr(moved, name) - expected).max() < 4e-15  # metres, a few roundings
    assert np.abs(moved.axes - still.axes @ T[:3, :3].T).max() < 1e-15


@given(T=poses)
def test_points_in_base_axes_do_not_move_with_the_part(T):
    placed = place(make_job(T=T, frame="base"))
    assert np.array_equal(placed.contacts, [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    assert np.abs(placed.normals - [[0.0, 0.6, 0.8], [1.0, 0.0, 0.0]]).max() < 2e-16


@pytest.mark.parametrize("direction", [None, [0.0, 0.0, 5.0]])
def test_the_ball_stands_off_the_surface_along_the_normal(direction):
    compensated = place(make_job(direction=direction, probe=Probe(ball_diameter=0.004)))
    centres = place(
        make_job(direction=direction, probe=Probe(ball_diameter=0.004, compensated=False))
    )
    given_points = [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]
    assert np.array_equal(compensated.surfaces, given_points)
    assert np.array_equal(centres.contacts, given_points)
    for placed in (compensated, centres):
        off = placed.contacts - placed.surfaces
        assert np.abs(off - 0.002 * placed.normals).max() < 2e-16


def test_the_places_of_the_cycle_lie_on_the_approach_line():
    placed = place(make_job(direction=[3.0, 0.0, 4.0]))
    line = np.array([0.6, 0.0, 0.8])
    assert np.abs(placed.clearances - placed.contacts - 0.03 * line).max() < 2e-16
    assert np.abs(placed.search_starts - placed.contacts - 0.004 * line).max() < 2e-16
    assert np.abs(placed.contacts - placed.search_ends - 0.002 * line).max() < 2e-16
    assert np.abs(placed.back_offs - placed.contacts - 0.001 * line).max() < 2e-16
    # 5 mm/s for a latency of 2 ms, then a stop of at most 20 ms.
    deepest = 0.002 + 0.005 * 0.002 + 0.5 * 0.005 * 0.02
    assert np.abs(placed.contacts - placed.line_ends - deepest * line).max() < 2e-16
    assert np.array_equal(placed.axes, -placed.normals)
    assert placed.approach_cosines == pytest.approx([0.64, 0.6], abs=1e-15)
    assert len(placed) == 2


def test_placed_points_cannot_be_changed(corrected):
    with pytest.raises(ValueError, match="read-only"):
        corrected.contacts[0, 0] = 0.0
