"""Figures: all of them, the same bytes twice, and what stands in them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reports.biped.figures import (
    chronophotograph,
    margin_figure,
    polygon_figure,
    quantity_figure,
)
from reports.biped.motion import quantities
from reports.figures.style import house_style, rendered
from tests.cases import some

QUANTITIES = ("joint-position", "joint-speed", "joint-torque", "motor-speed", "motor-torque")
NAMES = ("balance", "margin", "chronophotograph", *some(QUANTITIES, gate=1))


def texts(figure):
    return [text.get_text() for text in figure.findobj(lambda o: hasattr(o, "get_text"))]


def test_every_figure_is_written_as_png_and_svg(drawn):
    assert set(drawn) == {f"{name}.{form}" for name in NAMES for form in ("png", "svg")}
    assert all(content.startswith(b"\x89PNG") for n, content in drawn.items() if "png" in n)


def test_the_same_motion_gives_the_same_bytes(tilting):
    for draw in some((margin_figure, chronophotograph), gate=1):
        with house_style():
            first, second = (rendered(draw(tilting), "svg") for _ in range(2))
        assert first == second


def test_the_chronophotograph_has_three_views_of_each_instant_in_equal_scales(falling):
    with house_style():
        figure = chronophotograph(falling)
    assert len(figure.axes) == 15
    told = texts(figure)
    for word in ("from the right", "from above", "from the front", "1.08 s", "2.00 s", "−80 mm"):
        assert word in told
    for axis in figure.axes:
        box = axis.get_window_extent()
        across, up = np.diff(axis.get_xlim())[0], np.diff(axis.get_ylim())[0]
        assert across / box.width == pytest.approx(up / box.height, rel=1e-9)
    sides = [axis for k, axis in enumerate(figure.axes) if k % 3 != 1]
    spans = [np.diff(axis.get_ylim())[0] for axis in sides]
    assert spans == pytest.approx([spans[0]] * len(spans))


def test_the_fall_is_marked_in_both_figures_of_balance(falling, standing):
    with house_style():
        assert "fallen at 1.08 s" in texts(polygon_figure(falling))
        assert "fallen\nheel\n1.080 s" in texts(margin_figure(falling))
        assert not [text for text in texts(margin_figure(standing)) if "fallen" in text]


def test_the_ground_has_a_panel_where_it_tilts(tilting, standing):
    with house_style():
        assert len(margin_figure(tilting).axes) == 4
        assert len(margin_figure(standing).axes) == 3


def test_limits_stand_beside_the_curves(standing):
    with house_style():
        told = texts(quantity_figure(standing, quantities(standing)[2]))
    assert told.count("±200 N m") == 6
    none = replace(standing.motors, max_speed=np.full(6, np.inf))
    with house_style():
        told = texts(quantity_figure(standing, quantities(replace(standing, motors=none))[3]))
    assert told.count("no limit") == 6


def test_a_motor_that_is_never_reached_has_an_empty_panel(standing):
    speed = standing.motors.speed.copy()
    speed[:, 2] = np.nan
    shown = replace(standing, motors=replace(standing.motors, speed=speed))
    with house_style():
        figure = quantity_figure(shown, quantities(shown)[3])
    assert [len(axis.lines) > 0 for axis in figure.axes] == [True, True, False, True, True, True]
