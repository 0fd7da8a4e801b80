"""Shades behind the curves: exact for few segments, strips for many."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import pytest

from reports.page.curves import HEIGHT, WIDTH, shading


def widths(shades):
    """Total width of each kind's boxes."""
    found = Counter()
    for shade in shades:
        assert re.fullmatch(rf"(M\d+ 0h\d+v{HEIGHT}h-\d+z)+", shade.path)
        found[shade.kind] += sum(map(int, re.findall(r"0h(\d+)v", shade.path)))
    return found


def test_each_segment_is_shaded_where_it_lies(segments):
    shaded = shading(segments, segments[-1].end)
    assert shaded.strips == 0
    found = widths(shaded.shades)
    for kind, width in found.items():
        time = sum(s.duration for s in segments if s.kind.value == kind)
        # half a unit of rounding at each end of each box
        assert width == pytest.approx(time / segments[-1].end * WIDTH, abs=len(segments))
    assert sum(found.values()) == pytest.approx(WIDTH, abs=len(segments))


def test_a_kind_that_does_not_occur_has_no_shade(segments):
    probes = [s for s in segments if s.kind.value == "probe"]
    assert [shade.kind for shade in shading(probes, segments[-1].end).shades] == ["probe"]


def test_many_segments_become_strips_that_fill_the_whole_width(long_segments):
    shaded = shading(long_segments, long_segments[-1].end)
    assert shaded.strips == 1500
    assert sum(widths(shaded.shades).values()) == pytest.approx(WIDTH, abs=1500)
    assert sum(len(shade.path) for shade in shaded.shades) < 60_000  # characters


def test_a_strip_has_the_kind_that_fills_most_of_it(long_segments):
    # the first 5,000 motions are probing, the rest travel
    kinds = {s.kind.value: s.kind for s in long_segments}
    halves = [
        replace(s, kind=kinds["probe" if k < 5000 else "travel"])
        for k, s in enumerate(long_segments)
    ]
    shades = shading(halves, halves[-1].end).shades
    assert [(s.kind, s.path) for s in shades] == [
        ("probe", f"M0 0h{WIDTH // 2}v{HEIGHT}h-{WIDTH // 2}z"),
        ("travel", f"M{WIDTH // 2} 0h{WIDTH // 2}v{HEIGHT}h-{WIDTH // 2}z"),
    ]
