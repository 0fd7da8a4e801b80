"""Figures: all that are promised, drawn to a scale that is told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from reports.evaluation.figures import (
    MOST_FEATURES,
    evaluation_drawings,
    main_view,
    roundness_figure,
    tornado_figure,
    uncertainty_drawings,
    view_along,
)
from reports.evaluation.subject import magnification
from reports.figures.style import house_style


@pytest.fixture
def files(written):
    return {name: data for name, data in written.items() if name.endswith((".png", ".svg"))}


def test_every_feature_and_every_uncertainty_has_a_figure(shown, files):
    count = len(shown.evaluation.features)
    keys = ["deviations", *(f"feature-{k}" for k in range(1, count + 1))]
    keys += ["labels", "ellipsoids", "budget", "draws"]
    assert set(files) == {f"{key}.{form}" for key in keys for form in ("png", "svg")}


def test_no_figure_is_empty(files, tmp_path):
    for name, content in files.items():
        if name.endswith(".png"):
            path = tmp_path / name
            path.write_bytes(content)
            with Image.open(path) as picture:
                grey = np.asarray(picture.convert("L"))
            assert 0.005 < np.mean(grey < 200) < 0.5, name


def test_figures_fit_the_features(shown):
    titles = {one.title for one in evaluation_drawings(shown)}
    assert {"Flatness of top", "Roundness of hole-30", "Roundness of hole-20"} <= titles
    assert "Deviations of cone" in titles


def test_to_first_order_there_is_no_histogram(doubtful):
    keys = [one.key for one in uncertainty_drawings(replace(doubtful, draws=None))]
    assert keys == ["ellipsoids", "budget"]


def test_only_the_worst_of_very_many_features_are_drawn(shown):
    one = shown.evaluation.feature("top")
    many = tuple(replace(one, name=f"F{k}") for k in range(MOST_FEATURES + 5))
    seen = replace(shown, uncertainty=None, evaluation=replace(shown.evaluation, features=many))
    assert len(evaluation_drawings(seen)) == 1 + MOST_FEATURES


@given(st.floats(min_value=1e-9, max_value=1.0), st.floats(min_value=1e-6, max_value=1.0))
def test_a_magnified_length_is_near_the_wanted_one_and_never_beyond(largest, wanted):
    drawn = largest * magnification(largest, wanted)
    assert wanted / 2.6 < drawn <= wanted * (1 + 1e-9)


def test_nothing_to_magnify_is_drawn_as_it_is():
    assert magnification(0.0, 1.0) == 1.0


def test_points_near_a_plane_of_the_part_are_seen_along_its_axis():
    rng = np.random.default_rng(2)
    points = rng.uniform(-1, 1, (40, 3)) * [0.1, 0.05, 0.005]
    view = main_view(points, np.tile([0.0, 0.0, -1.0], (40, 1)))
    assert np.allclose(view.axes[2], [0.0, 0.0, -1.0])  # outward comes towards the reader
    assert np.allclose(np.abs(view.axes[0]), [1.0, 0.0, 0.0])
    assert np.linalg.det(view.axes) == pytest.approx(1.0)


@given(st.floats(0, 2 * np.pi), st.floats(-1, 1))
def test_a_view_is_a_right_handed_frame(angle, height):
    flat = np.sqrt(1 - height**2)
    toward = np.array([flat * np.cos(angle), flat * np.sin(angle), height])
    axes = view_along(toward, np.zeros(3)).axes
    assert np.allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(axes) == pytest.approx(1.0)


def test_a_roundness_plot_shows_residuals_away_from_the_axis(shown):
    # The hole's residuals are drawn with the sign that a bore's wall has about its axis.
    one = shown.evaluation.feature("hole-20")
    with house_style():
        axis = roundness_figure(one).axes[0]
    curve = next(line for line in axis.lines if line.get_label() == "measured")
    circle = next(line for line in axis.lines if line.get_label() == "least squares")
    heights = np.asarray(curve.get_ydata())[:-1] - np.asarray(circle.get_ydata())[0]
    centre = one.fit.shape.centre
    away = 1e6 * (np.linalg.norm(one.deviations.measured - centre, axis=1) - one.fit.shape.radius)
    # heights over the plane add less than 1e-4 µm to these distances
    assert np.allclose(np.sort(heights), np.sort(away), atol=1e-3)


def test_the_tornado_is_sorted_and_ends_with_all_others(doubtful):
    with house_style():
        axis = tornado_figure(doubtful).axes[0]
    blue = [bar.get_width() for bar in axis.containers[0]]
    assert blue == sorted(blue, reverse=True)
    total = np.sqrt(np.mean([p.budget.total for p in doubtful.points]))
    assert np.sqrt(np.sum(np.square(blue))) == pytest.approx(1e6 * total)
