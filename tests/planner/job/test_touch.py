"""[touch]: what a job says of the probing cycle, what it need not say, and what cannot be."""

from __future__ import annotations

from dataclasses import fields, replace

import jsonschema
import numpy as np
import pandas as pd
import pytest

import palpeur as pp
from planner.errors import JobError
from planner.job import json_schema, read_job
from planner.job.settings import FeatureTouch, Touch
from planner.library import names as library_jobs
from planner.library import path_of

FILES = {
    "points.csv": "name,x_mm,y_mm,z_mm,nx,ny,nz,feature\n"
    "A,400,1500,1200,0,0,1,top\nB,500,1400,1100,0,0,1,bore\n"
}
END = 'frame = "base"\n'
BORE = '[[touch.feature]]\nname = "bore"\n'


@pytest.fixture
def touch(job_of):
    """The cycle of a small job with more tables."""

    def read(text):
        return job_of(change={END: END + text}, files=FILES).touch

    return read


@pytest.fixture
def refused(touch):
    """What is said of a small job with a fault: the message and its facts."""

    def said(text):
        with pytest.raises(JobError) as caught:
            touch(text)
        return caught.value

    return said


def test_every_key_arrives_in_si(touch):
    found = touch(
        "[touch]\nspeed_mm_s = 4\nsearch_before_mm = 9\nsearch_after_mm = 2.5\nlatency_ms = 0.5\n"
        "deceleration_mm_s2 = 750\nback_off_mm = 1.25\nsettle_s = 0.2\n"
        f"positioning_speed_mm_s = 120\n{BORE}speed_mm_s = 2\nsearch_before_mm = 1\n"
        "search_after_mm = 0.5\nback_off_mm = 0.75\nsettle_s = 0.3\n"
    )
    own = FeatureTouch(
        name="bore",
        speed=0.002,
        search_before=0.001,
        search_after=0.0005,
        back_off=0.00075,
        settle=0.3,
    )
    assert found == Touch(
        mode="search",
        speed=0.004,
        search_before=0.009,
        search_after=0.0025,
        latency=0.0005,
        deceleration=0.75,
        back_off=0.00125,
        settle=0.2,
        positioning_speed=0.12,
        features=(own,),
    )


@pytest.mark.parametrize("text", ["", "[touch]\n", '[touch]\nmode = "search"\n'])
def test_what_is_left_out_is_a_search_with_the_usual_values(touch, text):
    found = touch(text)
    assert found == Touch()
    assert (found.mode, found.speed, found.search_after) == ("search", 0.005, 0.003)
    assert (found.latency, found.settle, found.positioning_speed) == (0.002, 0.0, np.inf)
    assert (found.search_before, found.back_off, found.deceleration) == (None, None, None)


@pytest.mark.parametrize(
    ("text", "mode", "after", "settle"),
    [
        ('[approach]\nlaw = "quintic"\n', "to-rest", 0.0, 0.0),
        ('[approach]\nlaw = "cubic"\ndwell_s = 0.5\n', "to-rest", 0.0, 0.5),
        ('[approach]\nlaw = "quintic"\novertravel_mm = 2\n', "search", 0.002, 0.0),
        ("[approach]\novertravel_mm = 2\ndwell_s = 0.5\n", "search", 0.002, 0.5),
        ('[approach]\nlaw = "quintic"\n[touch]\n', "search", 0.003, 0.0),
        ('[approach]\nlaw = "trapezoid"\n[touch]\nmode = "to-rest"\n', "to-rest", 0.0, 0.0),
        ("[approach]\ndwell_s = 0.5\n[touch]\nsettle_s = 0.1\n", "search", 0.003, 0.1),
        ("[approach]\novertravel_mm = 3\n[touch]\nsearch_after_mm = 3.0\n", "search", 0.003, 0.0),
    ],
)
def test_keys_of_former_jobs_mean_what_they_meant(touch, text, mode, after, settle):
    """A law without overtravel came to rest at contact; overtravel and dwell have new names."""
    found = touch(text)
    assert (found.mode, found.search_after, found.settle) == (mode, after, settle)


def test_a_touch_to_rest_searches_nothing(touch):
    found = touch('[touch]\nmode = "to-rest"\npositioning_speed_mm_s = 250\n')
    assert not found.searching
    lengths = (found.search_before, found.search_after, found.back_off, found.latency)
    assert lengths == (0.0, 0.0, 0.0, 0.0)
    assert found.positioning_speed == 0.25


def test_a_feature_may_rest_longer_where_nothing_is_searched(touch):
    found = touch(f'[touch]\nmode = "to-rest"\nsettle_s = 0.1\n{BORE}settle_s = 0.4\n')
    assert (found.of("top").settle, found.of("bore").settle) == (0.1, 0.4)
    assert (found.of("bore").mode, found.of("bore").back_off) == ("to-rest", 0.0)


def test_only_the_published_jobs_come_to_rest():
    modes = {name: read_job(path_of(name)).touch.mode for name in library_jobs()}
    resting = {name for name, mode in modes.items() if mode == "to-rest"}
    assert {"nine-points-as-published", "nine-points-corrected"} <= resting
    searching = {"block-with-holes", "blade", "obstructed", "unreachable"}
    assert searching <= modes.keys() - resting


def test_features_have_what_is_their_own(touch):
    found = touch(f"[touch]\nspeed_mm_s = 8\nsettle_s = 0.1\n{BORE}speed_mm_s = 2\n")
    assert found.of("top") is found
    own = found.of("bore")
    assert (own.speed, own.settle, own.features) == (0.002, 0.1, ())
    same = [one.name for one in fields(own) if one.name not in ("speed", "features")]
    assert all(getattr(own, name) == getattr(found, name) for name in same)


@pytest.mark.parametrize(
    ("text", "key", "nearest"),
    [
        ("[touch]\nspeed_mm_s = 0\n", "touch.speed_mm_s", "a number above 0, at most 1000."),
        ("[touch]\nspeed_mm_s = 1000.5\n", "touch.speed_mm_s", "a number above 0, at most 1000."),
        ("[touch]\nlatency_ms = -1\n", "touch.latency_ms", "a number from 0 to 1000."),
        ("[touch]\nsearch_before_mm = 0\n", "touch.search_before_mm", "a number above 0, at most"),
        ("[touch]\nback_off_mm = 0\n", "touch.back_off_mm", "a number above 0, at most"),
        ("[touch]\ndeceleration_mm_s2 = 0\n", "touch.deceleration_mm_s2", "a number above zero."),
        ("[touch]\nsettle_s = -1\n", "touch.settle_s", "a number from 0 to 3600."),
        ('[touch]\nmode = "rest"\n', "touch.mode", "'search' or 'to-rest'."),
        ("[touch]\nspeed_mm = 4\n", "touch.speed_mm", "speed_mm_s expected"),
        ("[touch]\nsearch_before_mm = 50\n", "touch.search_before_mm", "Give at most 45,"),
        ("[touch]\nback_off_mm = 50.5\n", "touch.back_off_mm", "Give at most 50,"),
        (
            "[approach]\ndistance_mm = 5\n[touch]\nsearch_before_mm = 5\n",
            "touch.search_before_mm",
            "Give at most 4.5, or a longer approach.distance_mm.",
        ),
        (
            f"[approach]\ndistance_mm = 7\n{BORE}search_before_mm = 6.5\n",
            "touch.feature[0].search_before_mm",
            'clearance point of feature "bore" is 7 mm from contact: the search would start too '
            "near to it. Give at most 6.3,",
        ),
        (
            '[[approach.feature]]\nname = "bore"\ndistance_mm = 1.5\n[touch]\nback_off_mm = 2\n',
            "touch.back_off_mm",
            'clearance point of feature "bore" is 1.5 mm from contact: the back-off would end '
            "beyond it. Give at most 1.5,",
        ),
        (
            f'[[approach.feature]]\nname = "bore"\ndistance_mm = 1.5\n{BORE}back_off_mm = 1.6\n',
            "touch.feature[0].back_off_mm",
            "Give at most 1.5,",
        ),
        (
            "[touch]\npositioning_speed_mm_s = 4\n",
            "touch.positioning_speed_mm_s",
            "give at least 5, or 0 for what the joints allow.",
        ),
        (
            f"[touch]\npositioning_speed_mm_s = 10\n{BORE}speed_mm_s = 12\n",
            "touch.positioning_speed_mm_s",
            "give at least 12,",
        ),
        (
            "[approach]\novertravel_mm = 2\n[touch]\nsearch_after_mm = 3\n",
            "approach.overtravel_mm",
            "touch.search_after_mm, its new name, is 3; remove overtravel_mm.",
        ),
        (
            '[approach]\novertravel_mm = 2\n[touch]\nmode = "to-rest"\n',
            "approach.overtravel_mm",
            'set touch.mode = "search", or overtravel_mm = 0.',
        ),
        (
            '[approach]\nlaw = "trapezoid"\n[touch]\n',
            "approach.law",
            'only the quintic law can end at the touch speed; set law = "quintic", or touch.mode = '
            '"to-rest".',
        ),
        (
            '[touch]\nmode = "to-rest"\nback_off_mm = 1\nspeed_mm_s = 5\nsettle_s = 1\n'
            f"{BORE}settle_s = 2\nsearch_after_mm = 1\n",
            "touch.mode",
            "mean nothing: touch.speed_mm_s, touch.back_off_mm, touch.feature[0].search_after_mm. "
            'Remove them, or set mode = "search".',
        ),
        (
            '[touch]\nmode = "to-rest"\n[[touch.feature]]\nname = "bor"\nsettle_s = 2\n',
            "touch.feature[0].name",
            "did you mean 'bore'?",
        ),
        (
            f'[touch]\nmode = "to-rest"\nsettle_s = 2\n{BORE}settle_s = 2\n',
            "touch.feature[0]",
            "give settle_s, different from there",
        ),
        ('[approach]\nlaw = "cubic"\novertravel_mm = 2\n', "approach.law", 'set law = "quintic"'),
        (
            '[[touch.feature]]\nname = "bor"\nspeed_mm_s = 2\n',
            "touch.feature[0].name",
            "which no point has; did you mean 'bore'?",
        ),
        (
            f"{BORE}speed_mm_s = 2\n{BORE}speed_mm_s = 3\n",
            "touch.feature[1].name",
            "is 'bore' again; keep one table for it.",
        ),
        (BORE, "touch.feature[0]", "give speed_mm_s, search_before_mm, search_after_mm,"),
        (f"{BORE}speed_mm_s = 5\n", "touch.feature[0]", "different from there, or remove"),
    ],
)
def test_a_cycle_that_cannot_be_is_one_message_with_key_and_nearest_value(
    refused, text, key, nearest
):
    error = refused(text)
    assert len(error.message.splitlines()) == 1
    assert error.message.startswith("job.toml, line ")
    assert f": {key} " in error.message
    assert error.facts["key"] == key
    assert nearest in error.message


def test_the_nearest_value_works(touch):
    near = touch(
        "[approach]\ndistance_mm = 7\n[touch]\nback_off_mm = 7\nsearch_before_mm = 6.3\n"
        "positioning_speed_mm_s = 5\n"
    )
    assert (near.search_before, near.back_off) == (0.0063, 0.007)


def test_the_schema_knows_every_key():
    schema = json_schema()
    tables = schema["$defs"]
    assert set(tables["TouchTable"]["properties"]) == {
        *("mode", "speed_mm_s", "search_before_mm", "search_after_mm", "latency_ms"),
        *("deceleration_mm_s2", "back_off_mm", "settle_s", "positioning_speed_mm_s", "feature"),
    }
    assert set(tables["FeatureTouchTable"]["properties"]) == {
        *("name", "speed_mm_s", "search_before_mm", "search_after_mm", "back_off_mm", "settle_s"),
    }
    validator = jsonschema.Draft202012Validator(schema)
    job = {"format": 1, "job": {"name": "a"}, "robot": {"model": "measuring-arm"}}
    job["points"] = {"file": "points.csv"}
    for good in ({}, {"speed_mm_s": 1000}, {"mode": "to-rest", "settle_s": 0}):
        validator.validate(job | {"touch": good})
    bad = (
        {"speed_mm_s": 0},
        {"speed_mm_s": 1000.1},
        {"latency_ms": -1},
        {"mode": "rest"},
        {"speed": 5},
        {"back_off_mm": 0},
        {"feature": [{"speed_mm_s": 1}]},
    )
    for one in bad:
        assert not validator.is_valid(job | {"touch": one}), one


@pytest.mark.parametrize("seed", range(8))
def test_written_and_read_again_it_is_the_same(seed, tmp_path):
    draw = np.random.default_rng(seed)
    table = {
        "speed_mm_s": draw.uniform(1.0, 20.0),
        "search_before_mm": draw.uniform(0.1, 9.0),
        "search_after_mm": draw.uniform(0.1, 9.0),
        "latency_ms": draw.uniform(0.0, 10.0),
        "deceleration_mm_s2": draw.uniform(50.0, 5000.0),
        "back_off_mm": draw.uniform(0.1, 9.0),
        "settle_s": draw.uniform(0.0, 1.0),
        "positioning_speed_mm_s": draw.uniform(20.0, 400.0),
    }
    table = {key: value for key, value in table.items() if draw.random() < 0.7}
    if draw.random() < 0.7:
        table["feature"] = [{"name": "bore", "speed_mm_s": 0.6, "settle_s": np.float64(1.5)}]
    points = pd.DataFrame(
        [
            ["A", 400.0, 1500.0, 1200.0, 0, 0, 1, "top"],
            ["B", 500.0, 1400.0, 1100.0, 0, 0, 1, "bore"],
        ],
        columns=["name", "x_mm", "y_mm", "z_mm", "nx", "ny", "nz", "feature"],
    )
    robot = pp.load_robot("measuring-arm")
    made = pp.Job(robot=robot, points=points, frame="base", approach={"distance_mm": 20.0},
                  touch=table)  # fmt: skip
    again = pp.read_job(made.write(tmp_path / "job.toml"))
    assert again.touch == made.touch
    assert again.touch.features == made.touch.features
    assert replace(made.touch, features=()) != Touch() or not table
