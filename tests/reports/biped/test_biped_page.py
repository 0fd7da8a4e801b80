"""The page: whole, deterministic, harmless with hostile texts; in Chromium without a complaint."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from planner.errors import OutputError
from planner.findings import Finding, Severity
from reports.biped.figures import draw_figures
from reports.biped.motion_set import check_motion_set
from reports.biped.page import biped_page
from reports.biped.scene import biped_scene
from reports.biped.stance_shading import stance_motion, stance_shading
from reports.page.scene import LIMIT
from reports.scene.viser_scene import scene_html

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
VIEWS = (({"width": 1440, "height": 900}, "light"), ({"width": 390, "height": 844}, "dark"))
LOCAL = ("file:", "data:", "blob:", "about:")
EVIL = '</script><script>window.hit=1</script><img src=x onerror="window.hit=1">'


@pytest.fixture(scope="module")
def hostile(falling):
    finding = Finding(code="B301", severity=Severity.ERROR, where=EVIL, message=EVIL, hint=EVIL)
    motion = replace(falling.motion, title=EVIL, remarks=(EVIL,))
    return replace(falling, motion=motion, findings=(finding,), command=EVIL)


def test_the_same_motion_gives_the_same_page(falling):
    figures = draw_figures(falling)
    page = biped_page(falling, None, figures)
    assert page == biped_page(falling, None, figures)
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
    with pytest.raises(OutputError, match=r"holds thesis\.tex.*palpeur biped squat"):
        check_motion_set(tmp_path)


@pytest.mark.skipif(CHROMIUM is None, reason="chromium: apt-get install chromium")
def test_the_page_opens_offline_without_a_complaint(hostile, tmp_path):
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    text = biped_page(hostile, scene_html(biped_scene(hostile), dark=None), draw_figures(hostile))
    file = tmp_path / "page.html"
    file.write_text(text, encoding="utf-8")
    shots = Path(os.environ.get("PALPEUR_SCREENSHOTS") or tmp_path)
    complaints = []
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        for size, scheme in VIEWS:
            context = browser.new_context(viewport=size, color_scheme=scheme, offline=True)
            shown = context.new_page()
            # Without a graphics processor the scene cannot be drawn; that is not the page's fault.
            shown.on(
                "console",
                lambda m: m.type == "error" and "WebGL" not in m.text and complaints.append(m.text),
            )
            shown.on("pageerror", lambda e: "WebGL" not in str(e) and complaints.append(str(e)))
            shown.on("request", lambda r: r.url.startswith(LOCAL) or complaints.append(r.url))
            shown.goto(file.as_uri())
            shown.locator("#chronophotograph img").scroll_into_view_if_needed()
            drawn = "document.querySelector('#chronophotograph img').naturalWidth"
            shown.wait_for_function(f"{drawn} > 300")
            assert shown.evaluate("document.documentElement.scrollWidth") <= size["width"]
            assert shown.evaluate("window.hit") is None
            shown.screenshot(path=str(shots / f"biped-{scheme}.png"))
            context.close()
        browser.close()
    assert complaints == []
