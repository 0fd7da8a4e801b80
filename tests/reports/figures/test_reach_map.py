"""The reach map: the same bytes each time, both poses marked, values where they belong."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from planner.part_pose.place import ReachMap
from planner.part_pose.pose_space import WrittenPose
from reports.figures.style import house_style
from reports.place import reach_map_figure, reach_map_png


@dataclass(frozen=True)
class Plan:
    planned_points: tuple[str, ...]


@dataclass(frozen=True)
class Stands:
    pose: WrittenPose
    plan: Plan = Plan(planned_points=("P",) * 36)
    measurable: tuple[str, ...] = ("P",) * 15


def shown(x_mm, turn):
    pose = WrittenPose(translation_mm=(x_mm, 20.0, 5.0), rotation_zyx_deg=(turn, 0.0, 0.0))
    x, y = np.linspace(-0.1, 0.3, 5), np.linspace(-0.05, 0.15, 4)
    points = np.tile([0.0, 0.5, 1.0, 1.0, 1.0], (4, 1))
    margin = np.where(points > 0.0, np.radians(4.0 * points + np.arange(5)), np.nan)
    return ReachMap(
        standing=Stands(pose),
        x=x,
        y=y,
        points=points,
        judged=36,
        margin=margin,
        allowed=np.array([[-0.05, 0.25], [0.0, 0.1]]),
    )


@pytest.fixture(scope="module")
def maps():
    return shown(10.0, 30.0), shown(150.0, 101.25)


@pytest.fixture(scope="module")
def figure(maps):
    with house_style():
        return reach_map_figure(maps, "plate <&$")


def test_a_png_of_the_same_bytes(maps):
    drawn = reach_map_png(maps, "plate")
    assert drawn.startswith(b"\x89PNG")
    assert reach_map_png(maps, "plate") == drawn


def test_values_stand_where_they_belong(figure):
    panels = [axis for axis in figure.axes if axis.get_title(loc="left")]
    assert [axis.get_title(loc="left") for axis in panels] == [
        "points within reach [%], given pose",
        "worst margin [deg], given pose",
        "points within reach [%], best pose",
        "worst margin [deg], best pose",
    ]
    served, margin = (np.ma.filled(axis.images[0].get_array(), np.nan) for axis in panels[:2])
    np.testing.assert_array_equal(served[0], [np.nan, 50.0, 100.0, 100.0, 100.0])
    # where not all points are served a margin would mean little
    np.testing.assert_allclose(margin[0], [np.nan, np.nan, 6.0, 7.0, 8.0])
    # pixels are centred on their places
    assert panels[0].images[0].get_extent() == pytest.approx(
        [-150.0, 350.0, -83.333, 183.333], abs=1e-3
    )


def test_both_poses_are_marked(figure):
    marks = figure.axes[0].collections
    places = {tuple(mark.get_offsets()[0]) for mark in marks if len(mark.get_offsets()) == 1}
    assert {(10.0, 20.0), (150.0, 20.0)} <= places


def test_the_note_says_how_each_row_is_turned(figure):
    note = " ".join(text.get_text().replace("\n", " ") for text in figure.texts)
    assert "Reach map: plate <&$" in note
    assert "zyx 30, 0, 0 deg, z 5 mm" in note
    assert "zyx 101.25, 0, 0 deg" in note


def test_nothing_measurable_is_drawn(maps):
    empty = tuple(replace(m, points=np.zeros((4, 5)), margin=np.full((4, 5), np.nan)) for m in maps)
    assert reach_map_png(empty, "far").startswith(b"\x89PNG")


def test_the_figure_says_what_was_counted_and_what_the_plans_measure(figure):
    """100 % within reach is not 100 % measurable, where the part is in the way of 21 of 36."""
    told = " ".join(text.get_text() for text in figure.texts).replace("\n", " ")
    assert "on 36 of 36 points, a branch keeps joint limits and singularities" in told
    assert "the plan of the given pose measures 15 of 36 points" in told
    assert "that of the best 15 of 36 points" in told
    assert not any("measurable" in axis.get_title(loc="left") for axis in figure.axes)
