"""Curves on paper: few points, limits where they matter, every letter outside the drawing."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

from planner.plan import Segment, SegmentKind
from reports.content.curves import CurveSet, Panel
from reports.pdf.document import SHADES, drawn_curves

SVG = "{http://www.w3.org/2000/svg}"


def panel(name="q1", values=(0.0, 1.0, -1.0), lower=-np.inf, upper=np.inf, peak=np.nan):
    t = np.linspace(0.0, 2.0, len(values))
    values = np.array(values, dtype=float)
    return Panel(name=name, unit="N m", t=t, values=values, lower=lower, upper=upper, peak=peak)


def segment(kind, start, end):
    return Segment(
        kind=kind, point="P1", point_index=0, law="", start=start, duration=end - start, binding=""
    )


def drawn(*panels, segments=()):
    (figure,) = drawn_curves([CurveSet(key="k", title="Torques", panels=panels)], segments)
    return figure


def paths(figure, **attributes):
    found = ET.fromstring(figure["drawing"]["svg"]).iter(f"{SVG}path")
    return [p for p in found if all(p.get(k.replace("_", "-")) == v for k, v in attributes.items())]


def texts(figure):
    return [label["text"] for label in figure["drawing"]["labels"]]


def test_a_curve_goes_through_its_samples():
    figure = drawn(panel(values=(0.0, 1.0, -1.0)))
    (curve,) = paths(figure, stroke="#00598c")
    start, *steps = re.findall(r"-?\d+ -?\d+", curve.get("d"))
    x, y = np.cumsum([[*map(int, start.split())], *([*map(int, s.split())] for s in steps)], 0).T
    assert x[1] - x[0] == pytest.approx(x[2] - x[1], abs=1)  # even in time
    assert (y[2] - y[0]) / (y[0] - y[1]) == pytest.approx(1.0, abs=1e-3)  # downwards is positive


def test_samples_that_fall_on_each_other_are_one():
    figure = drawn(panel(values=[0.0] * 50_000 + [1.0]))
    (curve,) = paths(figure, stroke="#00598c")
    assert curve.get("d").count("l") < 36_000  # hundredths of a point across the panel


def test_a_near_limit_is_drawn_and_a_far_one_only_told():
    near, far = drawn(panel(lower=-1.5, upper=1.5)), drawn(panel(lower=-900.0, upper=900.0))
    dashed = [len(paths(f, stroke_dasharray="400 250")) for f in (near, far)]
    assert dashed == [3, 1]  # two limits and the key; the key
    assert "limit ±1.5" in texts(near)
    assert "limit ±900" in texts(far)


def test_sides_that_differ_and_exact_peaks_are_told():
    told = texts(drawn(panel(lower=-2.0, upper=90.0, peak=1.0321e-5)))
    assert "limits −2 … 90" in told
    assert "peak 1.0321·10⁻⁵" in told


def test_a_curve_without_limits_has_no_key_for_them():
    assert "limit" not in texts(drawn(panel()))


def test_segments_are_shaded_and_named_in_the_key():
    kinds = tuple(SegmentKind)
    cut = [segment(kind, 0.5 * k, 0.5 * (k + 1)) for k, kind in enumerate(kinds)]
    figure = drawn(panel(), segments=cut)
    for kind in kinds:
        assert kind.value in texts(figure)
    shades = [len(paths(figure, fill=SHADES[kind])) for kind in kinds]
    assert shades == [2, 2, 2, 2, 2, 2, 1]  # travel stays white
    assert "P1" in texts(figure)


def test_too_many_segments_are_not_shaded():
    cut = [segment(SegmentKind.PROBE, 0.001 * k, 0.001 * (k + 1)) for k in range(400)]
    figure = drawn(panel(), segments=cut)
    assert paths(figure, fill=SHADES[SegmentKind.PROBE]) == []


def test_shades_differ_without_colour():
    def grey(colour):
        red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
        return 0.299 * red + 0.587 * green + 0.114 * blue

    greys = sorted(map(grey, SHADES.values()))
    assert np.min(np.diff(greys)) > 10.0


def test_a_curve_that_stands_still_has_a_height():
    figure = drawn(panel(values=(0.0, 0.0)), panel(values=(7.0, 7.0)))
    assert len(paths(figure, stroke="#00598c")) == 2


def test_names_are_cut_and_stay_out_of_the_drawing():
    figure = drawn(panel(name="<script>" + "a" * 10_000))
    assert "script" not in figure["drawing"]["svg"]
    name = next(text for text in texts(figure) if "script" in text)
    assert name.startswith("<script>")
    assert name.endswith("… [N m]")


def test_a_figure_says_in_words_what_it_shows():
    assert drawn(panel())["alt"] == "Torques over 2 s: q1 from −1 to 1 N m."


def test_many_joints_take_several_figures():
    curves = CurveSet(key="k", title="Torques", panels=tuple(panel(f"q{k}") for k in range(20)))
    figures = list(drawn_curves([curves], ()))
    assert [figure["title"] for figure in figures] == ["Torques", "Torques, continued"]
    assert all(figure["drawing"]["height"] < 660.0 for figure in figures)
    assert "q19 [N m]" in texts(figures[1])


def test_two_figures_of_six_joints_share_a_page():
    figure = drawn(*(replace(panel(), name=f"q{k}") for k in range(6)))
    assert figure["drawing"]["height"] <= 300.0
