"""The workspace figure: the same bytes each time, sizes in titles, limits in the legend."""

from __future__ import annotations

from functools import partial

import pytest

from reports.figures.style import figure_files, house_style
from reports.stewart.workspace import stewart_workspace_figure
from robots.stewart.library import load
from robots.stewart.limits import pose_limits
from robots.stewart.workspace import orientation_slice, position_slice


@pytest.fixture(scope="module")
def slices():
    limits = pose_limits(load("measuring-hexapod"))
    return position_slice(limits, 0.5654, directions=24), orientation_slice(limits, directions=24)


def drawn(*slices):
    with house_style():
        return stewart_workspace_figure(*slices, "hexapod")


def test_titles_give_sizes_and_the_legend_what_stops_the_platform(slices):
    figure = drawn(*slices)
    left, right = figure.axes
    assert left.get_title("left") == f"origin of the platform: {slices[0].area:.4g} m²"
    assert right.get_title("left").endswith(" deg")
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert words == ["longest leg", "platform joint's cone"]
    x = left.lines[1].get_xdata()
    assert x[0] == pytest.approx(1e3 * slices[0].points[0, 0])


def test_an_empty_slice_says_so(slices):
    limits = pose_limits(load("measuring-hexapod"))
    figure = drawn(position_slice(limits, 3.0, directions=8), slices[1])
    assert figure.axes[0].get_title("left").endswith("no feasible pose")


def test_the_same_slices_give_the_same_bytes(slices):
    draw = partial(stewart_workspace_figure, *slices, "hexapod")
    first, again = (figure_files([("workspace", draw)]) for _ in range(2))
    assert first == again
    assert first["workspace.png"].startswith(b"\x89PNG")
    assert first["workspace.svg"].startswith(b"<?xml")
