"""Figures: all of them, the same bytes each time, nothing a name could break."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest

from planner.motion.sampled_motion import InMemory, sampled
from planner.plan import SegmentKind
from reports.drawn_samples import DrawnSamples, drawn_samples
from reports.figures import motion
from reports.figures.motion import draw_figures, joint_figure, quantities
from reports.figures.style import KIND_COLOURS, house_style, limit_text
from tests.cases import some

NAMES = [
    *("joint-position", "joint-speed", "joint-acceleration", "joint-torque", "joint-power"),
    *("total-power", "tip-path"),
]
PNG_CHUNK_OF_TIME = b"tIME"


@pytest.fixture(scope="module")
def thin(samples):
    return drawn_samples(InMemory(samples=samples))


@pytest.fixture(scope="module")
def drawn(plan, thin):
    return draw_figures(plan, thin)


def test_every_figure_comes_as_png_and_svg(drawn):
    assert list(drawn) == [f"{name}.{kind}" for name in NAMES for kind in ("png", "svg")]
    for name, content in drawn.items():
        if name.endswith(".png"):
            assert content.startswith(b"\x89PNG")
        else:
            assert ET.fromstring(content).tag.endswith("svg")


def again(plan, thin, drawn):
    """Figures drawn once more (in the soak all of them), and those that were drawn before."""
    wanted = [f"{name}.{kind}" for name in some(NAMES, gate=2) for kind in ("png", "svg")]
    return draw_figures(plan, thin, wanted), {name: drawn[name] for name in wanted}


def test_no_file_tells_when_or_with_what_it_was_made(drawn):
    for content in drawn.values():
        assert b"<dc:date>" not in content
        assert b"Matplotlib" not in content
        assert PNG_CHUNK_OF_TIME not in content


def test_the_same_plan_gives_the_same_bytes_whatever_the_settings_of_the_user(drawn, plan, thin):
    with mpl.rc_context({"lines.linewidth": 7.0, "savefig.dpi": 30, "svg.hashsalt": None}):
        now, before = again(plan, thin, drawn)
        assert now == before
        assert mpl.rcParams["lines.linewidth"] == 7.0


def test_a_name_is_text_and_never_a_formula_or_markup(plan, thin, renamed):
    named = renamed(plan, "$\\x<&")
    strange = replace(named, job=replace(plan.job, name="$\\frac{ <b>&\u6e2c"))
    drawings = [f"{name}.svg" for name in some(NAMES, gate=3)]
    drawn = draw_figures(strange, thin, drawings)
    assert list(drawn) == drawings
    for content in drawn.values():
        ET.fromstring(content)


def test_a_plan_without_motion_shows_its_points(plan):
    still = replace(plan, timeline=(), planned_points=tuple(plan.planned_points[1:2]) * 3)
    drawn = draw_figures(still, drawn_samples(sampled(still)))
    assert list(drawn) == ["tip-path.png", "tip-path.svg"]


def test_every_joint_has_a_panel_with_its_unit_and_limits(plan, samples, thin):
    shown = {quantity.name: quantity for quantity in quantities(plan, samples)}
    np.testing.assert_allclose(shown["joint-position"].values, np.degrees(samples.q), rtol=1e-15)
    np.testing.assert_array_equal(shown["joint-power"].values.sum(axis=1), samples.power)
    acceleration = shown["joint-acceleration"]
    np.testing.assert_array_equal(acceleration.upper, plan.job.mechanism.max_acceleration)
    with house_style():
        figure = joint_figure(plan, thin, acceleration)
    labels = [axis.get_ylabel() for axis in figure.axes]
    assert labels == [f"q{k} [rad/s²]" for k in range(1, 6)]
    told = [text.get_text() for axis in figure.axes for text in axis.texts]
    assert "limit ±28 rad/s²" in told


def test_a_tighter_torque_limit_of_the_job_is_drawn(plan, samples, thin):
    checks = replace(plan.job.checks, torque_limits=np.array([110.0, 1e4, 100, 1, 1]))
    limited = replace(plan, job=replace(plan.job, checks=checks))
    torque = next(q for q in quantities(limited, samples) if q.name == "joint-torque")
    with house_style():
        figure = joint_figure(limited, thin, torque)
    dashed = [sorted(line.get_ydata()[0] for line in axis.lines[1:]) for axis in figure.axes[:2]]
    assert dashed == [[-110.0, 110.0], []]  # q2's limit is far off the scale


@pytest.mark.parametrize(
    ("lower", "upper", "text"),
    [
        (-1.0, 1.0, "limit ±1 rad"),
        (-1.0, 2.5, "limits -1 to 2.5 rad"),
        (-np.inf, np.inf, ""),
        (-np.inf, 2.0, "limits -inf to 2 rad"),
    ],
)
def test_limits_are_written(lower, upper, text):
    assert limit_text(lower, upper, "rad") == text


def test_every_kind_of_segment_has_a_colour():
    assert set(KIND_COLOURS) == set(SegmentKind)


def test_the_note_says_what_was_left_out(plan, samples):
    def drawn(count, run=1):
        return DrawnSamples(samples=samples, count=count, run=run)

    many = replace(plan, timeline=plan.timeline * 100)
    assert motion.drawing_note(plan, drawn(1000)) == "Sampled every 1 ms."
    assert "of every 3 samples" in motion.drawing_note(plan, drawn(3000))
    assert "of every 700 samples" in motion.drawing_note(plan, drawn(840_000, 700))
    assert "too narrow" in motion.drawing_note(many, drawn(3000))


def test_importing_figures_does_not_load_matplotlib():
    code = "import sys, reports.figures.motion; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
