"""The page: whole, deterministic, harmless with hostile texts; in Chromium without a complaint."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from planner.errors import OutputError
from planner.findings import Finding, Severity
from planner.findings.finding import SupportEdge
from planner.result_files import check_set
from reports.biped.motion_set import KIND, biped_page, biped_scene, stance_motion, stance_shading
from reports.page.scene import LIMIT
from reports.scene.viser_scene import scene_html

EVIL = '</script><script>window.hit=1</script><img src=x onerror="window.hit=1">'


@pytest.fixture(scope="module")
def hostile(falling):
    finding = Finding(
        code="B301", severity=Severity.ERROR, subject=SupportEdge(EVIL), message=EVIL, hint=EVIL
    )
    motion = replace(falling.motion, title=EVIL, remarks=(EVIL,))
    return replace(falling, motion=motion, findings=(finding,), command=EVIL)


def test_the_same_motion_gives_the_same_page(falling, drawn):
    page = biped_page(falling, None, drawn)
    assert page == biped_page(falling, None, drawn)
    assert len(page) < LIMIT
    # margin, six places and speeds, then five quantities of six joints or motors
    assert page.count('class="row panel"') == 7 + 5 * 6
    assert page.count('src="data:image/svg+xml;base64,') == 2
    assert "Falls over the heel at 1.080 s" in page
    assert "The knee goes as far as it was told." in page
    assert not re.search(r"https?://(?!www\.w3\.org/)", page)


def test_hostile_texts_stay_texts(hostile):
    page = biped_page(hostile, None)
    assert "<script>window" not in page
    assert "<img src=x" not in page


def test_the_shades_say_when_it_falls(falling, standing):
    assert [shade.kind for shade in stance_shading(standing).shades] == ["standing"]
    fell = stance_shading(falling)
    assert [shade.kind for shade in fell.shades] == ["standing", "fallen"]
    assert fell.shades[1].path.startswith("M27000 ")  # 1.08 s of 4 s
    told = stance_motion(falling, ())
    assert (told["kinds"], told["laws"], told["start"]) == (
        *(["squat"], ["fallen", "standing"], [0, 1.08]),
    )


def test_a_foreign_file_is_kept(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(OutputError, match=r"holds thesis\.tex.*biped motion.*--force"):
        check_set(tmp_path, KIND)


def test_the_page_opens_offline_without_a_complaint(
    opened, hostile, drawn, screenshots, lamps_only
):
    with lamps_only():
        scene = scene_html(biped_scene(hostile), dark=None)
    text = biped_page(hostile, scene, drawn)
    shown = opened(text, offline=True)
    for scheme, size in (("light", None), ("dark", {"width": 390, "height": 844})):
        shown.emulate_media(color_scheme=scheme)
        if size:
            shown.set_viewport_size(size)
        shown.locator("#chronophotograph img").scroll_into_view_if_needed()
        drawn = "document.querySelector('#chronophotograph img').naturalWidth"
        shown.wait_for_function(f"{drawn} > 300")
        width = shown.viewport_size["width"]
        assert shown.evaluate("document.documentElement.scrollWidth") <= width
        assert shown.evaluate("window.hit") is None
        screenshots(shown, f"biped-{scheme}.png")
