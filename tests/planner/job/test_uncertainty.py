"""``[uncertainty]`` of a job file: what is read, what is refused and with which words."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest

from planner.errors import JobError
from planner.job import UncertaintySettings, job_template, json_schema, read_job, write_template
from planner.job.schema import UncertaintyTable

DOCS = Path(__file__).parents[3] / "docs" / "job-files.md"
TABLE = "[uncertainty]\n"


def with_table(lines):
    return {"[points]": f"{TABLE}{lines}\n[points]"}


def test_without_the_table_nothing_is_guessed(job_of):
    assert job_of().uncertainty is None


def test_an_empty_table_is_all_zero(job_of):
    assert job_of(change=with_table("")).uncertainty == UncertaintySettings()


def test_every_key_in_si(job_of):
    keys = {
        "encoder_deg = 0.36": ("encoder", np.radians(0.36)),
        "encoder_mm = 0.1": ("encoder_slide", 1e-4),
        "encoder_resolution_deg = 0.72": ("encoder_resolution", np.radians(0.72)),
        "encoder_resolution_mm = 0.2": ("encoder_resolution_slide", 2e-4),
        "encoder_offset_deg = 0.18": ("encoder_offset", np.radians(0.18)),
        "encoder_offset_mm = 0.3": ("encoder_offset_slide", 3e-4),
        "length_mm = 0.05": ("length", 5e-5),
        "angle_deg = 0.01": ("angle", np.radians(0.01)),
        "stylus_mm = 0.02": ("stylus", 2e-5),
        "probe_mm = 0.002": ("probe", 2e-6),
        "probe_normal_mm = 0.001": ("probe_normal", 1e-6),
        "trigger_jitter_ms = 0.4": ("trigger_jitter", 4e-4),
        "alignment_mm = 0.03": ("alignment", 3e-5),
        "alignment_deg = 0.005": ("alignment_turn", np.radians(0.005)),
        "temperature_k = 2": ("temperature", 2.0),
        "expansion_per_k = 23e-6": ("expansion", 23e-6),
        "part_temperature_k = 0.5": ("part_temperature", 0.5),
        "part_expansion_per_k = 12e-6": ("part_expansion", 12e-6),
        "samples = 500": ("samples", 500),
        "digits = 2": ("digits", 2),
        "coverage = 0.9": ("coverage", 0.9),
        'interval = "shortest"': ("interval", "shortest"),
        "seed = 7": ("seed", 7),
    }
    settings = job_of(change=with_table("\n".join(keys))).uncertainty
    for name, value in keys.values():
        found = getattr(settings, name)
        # one rounding of the decimal, one of the degree
        assert found == (value if isinstance(value, str) else pytest.approx(value, rel=4e-16))
    assert settings.arm_scale == pytest.approx(46e-6, rel=1e-15)
    assert settings.part_scale == pytest.approx(6e-6, rel=1e-15)
    # every key of the table stands in this test, and in the manual
    assert {line.split(" = ")[0] for line in keys} == set(UncertaintyTable.model_fields)
    manual = DOCS.read_text(encoding="utf-8")
    assert [key for key in UncertaintyTable.model_fields if f"`{key}`" not in manual] == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("encoder_deg = -1", "a number from 0 to 45"),
        ("encoder_deg = nan", "a number from 0 to 45"),
        ("length_mm = '1'", "a number from 0 to 100000"),
        ("samples = 50", "0, or a whole number from 100 to 10000000"),
        ("samples = true", "0, or a whole number"),
        ("samples = 1e5", "0, or a whole number"),
        ("digits = 4", "a whole number from 1 to 3"),
        ("coverage = 1", "a number from 0.5 to 0.9999"),
        ('interval = "widest"', "symmetric"),
        ("encoder_rad = 1", "encoder_rad"),
    ],
)
def test_what_is_refused(job_of, line, words):
    with pytest.raises(JobError) as caught:
        job_of(change=with_table(line))
    assert words in caught.value.message
    assert "line 7: uncertainty." in caught.value.message


@pytest.mark.parametrize("prefix", ["", "part_"])
@pytest.mark.parametrize("alone", ["temperature_k = 1", "expansion_per_k = 12e-6"])
def test_a_temperature_needs_an_expansion(job_of, prefix, alone):
    key, value = alone.split(" = ")
    with pytest.raises(JobError) as caught:
        job_of(change=with_table(f"{prefix}{alone}"))
    message = caught.value.message
    assert f"line 7: uncertainty.{prefix}{key} is" in message
    assert f"remove {prefix}{key}." in message
    other = {"temperature_k": "expansion_per_k", "expansion_per_k": "temperature_k"}[key]
    assert caught.value.facts["missing"] == prefix + other
    assert value.lower() in message.lower() or float(value) == 12e-6


def test_settings_made_in_code_are_checked_too():
    with pytest.raises(JobError, match=r"length is -1.0; expected a finite number, zero or more"):
        UncertaintySettings(length=-1.0)
    with pytest.raises(JobError, match="encoder is nan"):
        UncertaintySettings(encoder=float("nan"))
    with pytest.raises(JobError, match=r"coverage is 1.0; expected a probability"):
        UncertaintySettings(coverage=1.0)


def test_the_schema_knows_the_table():
    table = json_schema()["$defs"]["UncertaintyTable"]
    assert table["additionalProperties"] is False
    keys = table["properties"]
    assert keys["encoder_deg"]["default"] == 0.0
    assert keys["encoder_deg"]["maximum"] == 45.0
    assert keys["coverage"]["default"] == 0.95
    assert keys["samples"]["minimum"] == 0
    assert json_schema()["properties"]["uncertainty"]["default"] is None


def test_the_table_that_the_template_offers_is_right(tmp_path):
    text = job_template()["job.toml"]
    before, mark, after = text.partition("# [uncertainty]\n")
    offered = "".join(line.removeprefix("# ") for line in after.splitlines(keepends=True))
    keys = tomllib.loads(mark.removeprefix("# ") + offered)["uncertainty"]
    assert len(keys) == len(offered.splitlines())
    paths = write_template(tmp_path)
    paths[0].write_text(before + mark.removeprefix("# ") + offered)
    settings = read_job(paths[0]).uncertainty
    assert settings.encoder == np.radians(0.001)
    assert (settings.samples, settings.coverage) == (10_000, 0.95)
