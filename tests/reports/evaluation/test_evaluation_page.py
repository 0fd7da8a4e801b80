"""Page and paper: whole, harmless with hostile texts; in Chromium without a complaint."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from reports.evaluation.colours import deviation_scale, legend_of
from reports.evaluation.content import evaluation_content, uncertainty_content
from reports.evaluation.evaluation_set import Pictures, evaluation_page, evaluation_pdf
from reports.evaluation.figures import (
    evaluation_drawings,
    rendered_drawings,
    uncertainty_drawings,
)
from reports.evaluation.scene import DrawnScene, evaluation_scene, uncertainty_scene
from tests.cases import some

SCENE = DrawnScene(html="<!doctype html><html><head></head><body>scene</body></html>", notes=())


def pictures(seen, scene=SCENE):
    drawings = evaluation_drawings(seen)[:2]
    return Pictures(
        scene=scene,
        drawings=drawings,
        figures=rendered_drawings(drawings),
        legend=legend_of(deviation_scale(seen)),
    )


@pytest.fixture(scope="module")
def real_page(shown, lamps_only):
    with lamps_only():
        scene = evaluation_scene(shown)
    return evaluation_page(evaluation_content(shown), pictures(shown, scene))


@pytest.fixture(scope="module")
def hostile_page(hostile):
    return evaluation_page(evaluation_content(hostile), pictures(hostile))


def test_the_page_says_what_was_found(real_page):
    assert "Out of tolerance: 1 of 8 characteristics" in real_page
    assert real_page.count('src="data:image/svg+xml;base64,') == 2
    assert "Lines from the points: deviations, drawn" in real_page
    assert "ellipsoids of one standard deviation, drawn" in real_page
    assert not re.search(r"""(src|href)=["']https?://""", real_page)


def test_the_scene_is_the_same_text_again(doubtful):
    assert uncertainty_scene(doubtful).html == uncertainty_scene(doubtful).html


def test_hostile_texts_stay_texts(hostile_page):
    assert "<script>window" not in hostile_page
    assert "<img src=x" not in hostile_page


def test_paper_prints_hostile_texts_as_they_are(hostile, tmp_path):
    path = tmp_path / "report.pdf"
    path.write_bytes(evaluation_pdf(evaluation_content(hostile), pictures(hostile)))
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext: apt-get install poppler-utils")
    told = subprocess.run(["pdftotext", path, "-"], capture_output=True, check=True).stdout
    assert b"window.hit=1" in told


@pytest.mark.soak  # the paper of a set is written twice in test_evaluation_set
def test_paper_is_the_same_bytes_again(doubtful):
    drawings = uncertainty_drawings(doubtful)
    shown = Pictures(scene=SCENE, drawings=drawings, figures=rendered_drawings(drawings))
    content = uncertainty_content(doubtful)
    first = evaluation_pdf(content, shown)
    assert first.startswith(b"%PDF")
    assert first == evaluation_pdf(content, shown)


@pytest.mark.parametrize(
    ("which", "device", "scheme"),
    some(
        [
            ("real_page", "desktop", "light"),
            ("real_page", "phone", "dark"),
            ("hostile_page", "desktop", "light"),
            ("hostile_page", "phone", "dark"),
        ],
        gate=2,
    ),
)
def test_in_the_browser(opened, request, screenshots, which, device, scheme):
    seen = opened(request.getfixturevalue(which), device, color_scheme=scheme)
    assert seen.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert seen.evaluate("window.hit") is None
    screenshots(seen, f"evaluation-{which}-{scheme}.png")
    seen.evaluate("document.querySelector('#replay').scrollIntoView()")
    seen.wait_for_selector("#replay-box iframe")
