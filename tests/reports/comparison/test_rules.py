"""The rules of ``--fail-on``: what they mean, and what is told when they cannot be read."""

from __future__ import annotations

import re

import pytest

from planner.errors import OptionError
from reports.comparison.compare import compare
from reports.comparison.rules import QUANTITIES, judged, parse_rule


@pytest.fixture
def judge(document, changed):
    def run(text, edit, *, before=None):
        first = changed(before) if before else document
        return judged(parse_rule(text), compare(first, changed(edit)))

    return run


def scaled(key, factor):
    return lambda d: d.update({key: d[key] * factor})


def moved(key, step):
    def edit(document):
        for point in document["points"]:
            if point[key] is not None:
                point[key] += step

    return edit


def nothing(document):
    del document


def lose(document):
    document["points"][0]["reachable"] = False


def find(document):
    document["findings"] += [dict(document["findings"][0], where="P1")]


@pytest.mark.parametrize(
    ("rule", "edit", "fired"),
    [
        ("duration>+2%", scaled("duration_s", 1.021), True),
        ("duration>+2%", scaled("duration_s", 1.019), False),
        ("duration<-2%", scaled("duration_s", 0.97), True),
        ("duration>+0.1s", scaled("duration_s", 1.1), True),
        ("duration > +0.1 s", scaled("duration_s", 1.01), False),
        ("energy>+0", scaled("energy_j", 1.0001), True),
        ("energy>+1J", scaled("energy_j", 1.0001), False),
        ("net_work>+5%", scaled("net_work_j", 0.9), True),
        ("net_work<-1J", scaled("net_work_j", 1.2), True),
        ("peak_power>+1e1W", scaled("peak_power_w", 1.03), True),
        ("peak_power>+1e1W", scaled("peak_power_w", 1.01), False),
        ("joint_margin<-0.5", moved("joint_margin_deg", -0.6), True),
        ("joint_margin<-0.5deg", moved("joint_margin_deg", -0.4), False),
        ("joint_margin<−10%", moved("joint_margin_deg", -0.6), True),
        ("singularity_margin<-0.01", moved("singularity_margin", -0.02), True),
        ("singularity_margin<-1%", moved("singularity_margin", 0.02), False),
        ("clearance<-.5mm", moved("min_clearance_mm", -0.6), True),
        ("clearance<-0.5", moved("min_clearance_mm", -0.4), False),
        ("points<-0", lose, True),
        ("points<-1", lose, False),
        ("points<-10%", lose, True),
        ("findings>+0", find, True),
        ("findings>+1", find, False),
        ("findings>+0", nothing, False),
        ("duration>-1%", nothing, True),
    ],
)
def test_every_rule_fires_when_it_should(judge, rule, edit, fired):
    judgement = judge(rule, edit)
    assert judgement.fired is fired
    assert ("not " in judgement.reason) is not fired
    assert judgement.change.quantity.title in judgement.reason


def test_every_quantity_has_a_rule(judge):
    for quantity in QUANTITIES:
        assert not judge(f"{quantity}>+0", nothing).fired


def test_what_is_not_known_any_more_is_too_much(judge):
    def forget(document):
        for point in document["points"]:
            point["min_clearance_mm"] = None

    lost = judge("clearance<-1mm", forget)
    assert lost.fired
    assert lost.reason == "minimum clearance is known in A but not in B"
    never = judge("clearance<-1mm", nothing, before=forget)
    assert not never.fired
    assert never.reason == "minimum clearance is not known in A"


def test_from_nothing_to_something_is_without_end(judge):
    def still(document):
        document["energy_j"] = 0.0

    assert judge("energy>+1000%", nothing, before=still).fired
    assert not judge("energy>+0%", still, before=still).fired


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("", "'': has no > or <; a rule is like duration>+2%."),
        ("duration", "'duration': has no > or <"),
        ("duratoin>+2%", "there is no quantity 'duratoin'; did you mean 'duration'?"),
        ("beauty>+2%", "there is no quantity 'beauty'; known here: clearance, duration"),
        (">+2%", "there is no quantity ''; known here: duration, energy"),
        ("Duration>+2%", "there is no quantity 'Duration'; did you mean 'duration'?"),
        ("duration>=+2%", "'>=' is no comparison; give > or <."),
        ("duration=+2%", "'=' is no comparison"),
        ("duration>", "the amount is missing; a rule is like"),
        ("duration>2%", "the amount '2%' has no sign; it is a change from A to B: +2%"),
        ("duration>.5", "has no sign"),
        ("duration>+", "'+' is no amount"),
        ("duration>+two", "'+two' is no amount"),
        ("duration>+1e999", "1e999 is no finite number"),
        ("duration>+2ms", "'ms' is no unit of duration; give s or %."),
        ("joint_margin<-0.5rad", "'rad' is no unit of joint_margin; give deg or %."),
        ("singularity_margin<-0.5mm", "is no unit of singularity_margin; give a bare number or %"),
        ("points<-1points", "is no unit of points"),
        ("duration>+2% energy", "'% energy' is no unit of duration"),
        ("duration>+٢%", "is no amount"),
        ("\x1b[31m[red]>+2%", "there is no quantity '⟨U+001B⟩[31m[red]'"),
        ("x" * 10_000 + ">+2%", "x…"),
    ],
)
def test_a_rule_that_cannot_be_read_says_what_where_and_the_nearest(rule, told):
    with pytest.raises(OptionError, match=re.escape(told)) as caught:
        parse_rule(rule)
    assert caught.value.message.startswith("--fail-on '")
    assert len(caught.value.message) < 400
