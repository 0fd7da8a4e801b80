"""Terminal and page of a comparison: ordered, worded, and hostile names are only text."""

from __future__ import annotations

import base64
import hashlib
import html
import io
import re

import pytest

from reports.comparison.compare import compare
from reports.comparison.document import (
    MARK,
    comparison_page,
    headline,
    print_comparison,
    section_lines,
)
from reports.comparison.rules import judged, parse_rule

HOSTILE = [
    "[red]boo[/red]",
    "[/]",
    "[link=file:///etc/passwd]x[/link]",
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7*7 }}",
    "=1+1",
    "\x1b[31mred\x1b]0;title\x07",
    "\u202eevil\u2066",
    "x" * 10_000,
    "../../etc/passwd",
]


def shown(comparison, *rules):
    file = io.StringIO()
    print_comparison(comparison, [judged(parse_rule(rule), comparison) for rule in rules], file)
    return file.getvalue()


def scale(document):
    document["duration_s"] *= 1.1
    document["segments"][0]["duration_s"] *= 1.5
    document["segments"][3]["duration_s"] *= 0.99
    document["points"][0]["joint_margin_deg"] += 1.0


def rename(document, name):
    document["job"]["name"] = document["robot"] = document["palpeur"] = name
    document["points"][0]["name"] = document["points"][0]["branch"] = name
    document["segments"][0].update(point=name, binding=name, law=name)
    document["joints"][0]["name"] = name
    document["findings"][0].update(where=name, message=name, hint=name, code=name)
    document["validation"]["checks"][0]["name"] = name


def test_equal_plans_are_told_in_one_sentence(document):
    found = compare(document, document)
    assert headline(found) == "No difference in anything that is compared."
    assert "No difference" in shown(found)
    assert "worse" not in shown(found)
    assert "No difference" in comparison_page(found)


def test_changes_are_signed_and_worded(document, changed):
    text = shown(compare(document, changed(scale)), "duration>+2%", "energy>+1%")
    words = " ".join(text.split())
    assert re.search(r"duration 1\.20025 1\.3202\d \+0\.12 \+10 % s worse", words)
    assert re.search(r"P1 joint margin \S+ \S+ \+1 \S+ % deg better", words)
    assert "Rules: 1 of 2 broken" in words
    assert "BROKEN duration>+2%: duration changed by +10 %, above +2 %" in words
    assert "kept energy>+1%" in words
    assert "\x1b" not in text


def test_the_greatest_change_stands_first(document, changed):
    found = compare(document, changed(scale))
    motions = next(one for one in found.sections if one.key == "segments")
    assert [line.names for line in section_lines(motions)] == [("P1", "probe"), ("P3", "travel")]


def test_what_is_gone_or_new_stands_before_what_changed(document, changed):
    def edit(other):
        other["findings"] = []
        other["points"][2].update(name="P7", joint_margin_deg=1.0)
        other["points"][0]["joint_margin_deg"] = 1.0

    found = compare(document, changed(edit))
    points, findings = (
        section_lines(next(one for one in found.sections if one.key == key))
        for key in ("points", "findings")
    )
    assert [line.what for line in points][:3] == ["only in A", "only in B", "joint margin"]
    assert (findings[0].what, findings[0].verdict.value) == ("only in A", "better")


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_only_text_in_the_terminal(document, changed, name):
    found = compare(document, changed(lambda d: rename(d, name)))
    text = shown(found)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\x07" not in text
    assert len(text) < 30_000
    if name.startswith("["):
        assert name in text


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_only_text_on_the_page(document, changed, name):
    found = compare(document, changed(lambda d: rename(d, name)))
    page = comparison_page(found)
    plain = comparison_page(compare(document, document))
    assert page.count("<script") == plain.count("<script") == 1
    assert page.count("<img") == 0
    assert "onerror=alert(1)>" not in page.replace("&gt;", "")
    assert "\u202e" not in page
    assert "\x1b" not in page
    if "<" in name:
        assert name not in page
        assert "&lt;" in page
    if name.startswith(("[", "{", "=")):
        assert name in page


def test_the_page_is_one_file_that_nothing_can_be_added_to(document, changed):
    page = comparison_page(compare(document, changed(scale)))
    assert page.startswith(MARK)
    assert not re.search(r"(?:src|href)=\"(?!#|data:)", page)
    rules = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1])
    assert "default-src 'none'" in rules
    for tag in ("script", "style"):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, flags=re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in rules
    assert "unsafe-inline" not in rules


def test_the_page_has_the_same_bytes_for_the_same_plans(document, changed):
    pages = {comparison_page(compare(document, changed(scale))) for _ in range(2)}
    assert len(pages) == 1


def test_a_large_comparison_shows_the_greatest_and_says_so(document, changed):
    point = document["points"][0]
    many = [dict(point, name=f"Q{k}", joint_margin_deg=k / 10) for k in range(1, 701)]
    a = changed(lambda d: d.update(points=many))
    b = changed(lambda d: d.update(points=[dict(p, joint_margin_deg=0.0) for p in many]))
    found = compare(a, b)
    page = comparison_page(found)
    assert "the 500 greatest changes stand here, 200 more in the JSON" in page
    assert ">Q700<" in page
    assert ">Q200<" not in page
    assert "and 688 more; --json and --html have all of them" in shown(found)
