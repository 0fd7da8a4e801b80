"""The page as text: deterministic, within its size, everything said and everything escaped."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from itertools import pairwise

import pytest

from reports.page.html import asset, digest
from reports.page.page import BUDGET, page
from reports.page.scene import LIMIT

SCENE = "<!doctype html><html><head></head><body><script>document.title='s'</script></body></html>"
PAIRS = [
    *((ink, ground) for ink in ("ink", "quiet", "accent") for ground in ("paper", "card", "soft")),
    *((f"{name}", f"{name}-soft") for name in ("good", "doubtful", "bad", "note")),
    *((name, "card") for name in ("good", "doubtful", "bad")),
    *(("accent", kind) for kind in ("raised",)),
]


def policy_of(text):
    return html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1])


def test_the_same_report_gives_the_same_bytes(report, segments):
    assert page(report, segments, SCENE) == page(report, segments, SCENE)


def test_every_section_is_there_in_the_order_of_reading(report, segments):
    text = page(report, segments, SCENE)
    found = re.findall(r'<section id="([a-z-]+)" aria', text)
    assert found == [
        *("summary", "findings", "replay", "curves"),
        *("joints", "points", "segments", "clearances", "validation", "cell", "job"),
        *("errata", "provenance"),
    ]
    levels = [int(level) for level in re.findall(r"<h([1-6])\b", text)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_the_policy_names_exactly_the_scripts_and_styles_of_the_page(report, segments):
    text = page(report, segments, None)
    rules = policy_of(text)
    assert "default-src 'none'" in rules
    assert re.findall(r"script-src ([^;]*)", rules) == [digest(asset("report.js"))]
    assert re.findall(r"style-src ([^;]*)", rules) == [digest(asset("report.css"))]
    assert asset("report.js") in text
    assert re.findall(r"<script(?! type=\"application/json\")", text) == ["<script"]
    assert " style=" not in text
    assert re.search(r"\son[a-z]+=", re.sub(r"<script>.*</script>", "", text, flags=re.S)) is None


def test_assets_hold_nothing_that_could_end_their_element():
    for name in ("report.css", "report.js", "scene.js"):
        assert "</" not in asset(name)
        assert "\r" not in asset(name)


def test_without_a_scene_the_page_says_so(report, segments):
    assert "No replay was made." in page(report, segments, None)


def test_a_scene_that_is_too_large_is_linked(report, segments):
    text = page(report, segments, "x" * (LIMIT + 1))
    assert '<a href="scene.html">' in text
    assert len(text) < 2_000_000


def test_hostile_texts_stay_text(hostile, hostile_segments):
    text = page(hostile, hostile_segments, None)
    outside = re.sub(r"<script>.*?</script>|<style>.*?</style>", "", text, flags=re.S)
    assert "<img" not in outside
    assert "window.hit=1</script>" not in outside
    assert "&lt;script&gt;window.hit=1&lt;/script&gt;" in outside
    assert "{{ 7*7 }}" in outside
    assert not set("\u202e\u2066\u2028\x00") & set(text)
    assert "⟨U+202E⟩gnp.exe" in outside
    assert "(9,700 more characters)" in outside
    text.encode("utf-8")


def test_a_long_motion_stays_small_and_says_what_is_not_shown(long_report, long_segments):
    text = page(long_report, long_segments, None)
    assert len(text.encode()) < 3_000_000
    assert "Shown: 500 of 3,000 rows; all stand in <code>points.csv</code>." in text
    assert "Shown: 20 of 250; all stand in" in text
    assert "every one of 1,500 strips of time" in text
    motion = json.loads(re.search(r'id="motion">(.*?)</script>', text)[1])
    assert len(motion["start"]) == 10_000
    assert max(len(panel["t"]) for panel in motion["panels"]) <= 1202


def test_beyond_its_budget_the_page_shows_less_and_says_so(long_report, long_segments):
    whole = page(long_report, long_segments, None)
    size = len(whole.encode()) - 1
    less = page(long_report, long_segments, None, budget=size)
    least = page(long_report, long_segments, None, budget=1)
    assert "Cut down to keep this page" not in whole
    assert "at most 600 points per curve, 200 rows per table" in less
    assert "at most 240 points per curve, 50 rows per table" in least
    assert len(least.encode()) < len(less.encode()) <= size < BUDGET


def test_a_report_without_motion_is_a_page(report):
    text = page(replace(report, curves=()), (), None)
    assert "No motion was planned" in text
    assert 'id="motion">null</script>' in text


def colours(block):
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", block))


def luminance(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark", "toggled"])
@pytest.mark.parametrize(("ink", "ground"), PAIRS)
def test_text_has_the_contrast_of_wcag_aa(scheme, ink, ground):
    """WCAG 2.2, 1.4.3: at least 4.5 to 1."""
    style = asset("report.css")
    blocks = dict(
        zip(("light", "dark", "toggled"), re.findall(r":root[^{]*\{([^}]*)\}", style), strict=False)
    )
    found = colours(blocks[scheme])
    light, dark = sorted((luminance(found[ink]), luminance(found[ground])), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5
