"""Sweeps: grid, zip, random; every case a job by itself."""

from __future__ import annotations

import os
import tomllib

import pytest

from planner.batch.sources import gathered
from planner.batch.sweep import sweep_cases
from planner.errors import JobError

BASE = """format = 1
[job]
name = "base"
[sampling]
period_ms = 1.0
[part]
pose = { translation_mm = [0, 1500.10, 840] }
[[cell]]
name = "box"
"""
HEAD = 'format = 1\n[sweep]\nbase = "base.toml"\ndesign = "{}"\n'
TWO = """
[[vary]]
key = "sampling.period_ms"
values = [1.0, 2, 5.5]
[[vary]]
key = "part.pose.translation_mm[1]"
from = 1490
to = 1510
steps = 3
"""


@pytest.fixture
def sweep(tmp_path):
    """``sweep(design, rest)`` → the documents of its cases."""
    (tmp_path / "base.toml").write_text(BASE)

    def cases(design, rest=TWO, head=""):
        path = tmp_path / "s.toml"
        path.write_text(HEAD.format(design) + head + rest)
        return list(sweep_cases(path, "s.toml"))

    return cases


def values(cases):
    documents = [tomllib.loads(case.text) for case in cases]
    return [(d["sampling"]["period_ms"], d["part"]["pose"]["translation_mm"][1]) for d in documents]


def test_a_grid_has_every_combination(sweep):
    cases = sweep("grid")
    assert values(cases) == [(p, y) for p in (1.0, 2, 5.5) for y in (1490.0, 1500.0, 1510.0)]
    assert [case.name for case in cases[:2]] == ["s.toml#1", "s.toml#2"]


def test_zip_goes_side_by_side(sweep):
    assert values(sweep("zip")) == [(1.0, 1490.0), (2, 1500.0), (5.5, 1510.0)]


def test_random_is_seeded(sweep):
    one, again, other = (
        values(sweep("random", head=f"count = 20\nseed = {seed}\n")) for seed in (1, 1, 2)
    )
    assert one == again != other
    assert len(set(one)) > 10
    assert all(p in {1.0, 2, 5.5} and 1490.0 <= y <= 1510.0 for p, y in one)


def test_more_of_a_random_design_keep_the_first_ones(sweep):
    few = values(sweep("random", head="count = 5\n"))
    assert values(sweep("random", head="count = 50\n"))[:5] == few


def test_everything_else_stays_as_it_was(sweep):
    document = tomllib.loads(sweep("grid")[0].text)
    base = tomllib.loads(BASE)
    base["part"]["pose"]["translation_mm"][1] = 1490.0
    assert document == base


def test_tables_on_the_way_are_made(sweep):
    made = sweep("grid", '[[vary]]\nkey = "checks.reach.deep"\nvalues = [true]\n')
    assert tomllib.loads(made[0].text)["checks"] == {"reach": {"deep": True}}


def test_lists_of_tables_are_counted_from_zero(sweep):
    made = sweep("grid", '[[vary]]\nkey = "cell[0].name"\nvalues = ["a", "b"]\n')
    assert [tomllib.loads(case.text)["cell"][0]["name"] for case in made] == ["a", "b"]


def test_cases_stand_beside_the_base_wherever_the_command_runs(sweep, tmp_path, monkeypatch):
    sweep("grid")
    monkeypatch.chdir(tmp_path)
    for case in gathered(["s.toml"]).cases:
        assert case.job == (tmp_path / "base.toml").resolve()


ONE = '[[vary]]\nkey = "job.name"\n'


@pytest.mark.parametrize(
    ("design", "rest", "told"),
    [
        ("circle", TWO, r"sweep\.design is 'circle'; expected \"grid\", \"zip\" or \"random\"\."),
        ("random", TWO, r"sweep\.count is 0; a random design says how many"),
        ("zip", TWO.replace("steps = 3", "steps = 4"), "has 4 values and the first one 3"),
        ("grid", TWO.replace("steps = 3", ""), 'a range without "steps"'),
        ("grid", TWO.replace("steps = 3", "steps = 1"), "at least two steps"),
        ("grid", TWO.replace("steps = 3", "steps = 99999"), "299997 combinations; at most 100000"),
        ("grid", TWO.replace("to = 1510", ""), r"vary\[1\]\.to is missing; a range has both"),
        ("grid", TWO.replace("to = 1510", "to = inf"), r"vary\[1\]\.to is Infinity; .* finite"),
        ("grid", TWO.replace("to = 1510", "to = true"), r"vary\[1\]\.to is true; .* finite"),
        ("grid", TWO.replace("to = 1510", "to = 1" + "0" * 400), r"vary\[1\]\.to is 10.* finite"),
        ("grid", TWO.replace("from = 1490", "from = '1'"), r"from is '1'; .* such as from = 10"),
        (
            "grid",
            TWO.replace("steps = 3", "steps = 2.5"),
            r"steps is 2\.5; expected a whole number",
        ),
        ("grid", TWO.replace("5.5]", "5.5]\nsteps = 5"), r'steps is 5, and "values" lists them al'),
        ("grid", "count = 4\n" + TWO, r'count is 4, and design = "grid" makes every combination'),
        ("zip", "count = 4\n" + TWO, r"count is 4, and .* only a random design counts"),
        (
            "grid",
            TWO + ONE.replace("job.name", "sampling.period_ms") + "values = [1]",
            r"vary\[0\] varies already",
        ),
        ("grid", "sead = 4\n" + TWO, r"sweep\.sead is not a known key; did you mean 'seed'"),
        (
            "grid",
            TWO.replace("steps", "step"),
            r"vary\[1\]\.step is .*known key; did you mean 'steps'",
        ),
        ("grid", TWO.replace("[1]", "[7]"), "has no place for"),
        ("grid", TWO.replace("period_ms", "period_ms.x"), "has no place for"),
        ("grid", TWO.replace("sampling.period_ms", "sampling..x"), "vary"),
        ("grid", ONE, 'give either "values", or "from" and "to"'),
        ("grid", ONE + "values = []", 'give either "values"'),
        ("grid", ONE + "values = [1]\nfrom = 1", 'give either "values"'),
        ("grid", ONE + "values = [2026-01-01]", "job.name is"),
        ("grid", "", r"vary is missing; give tables with a key and its values"),
        ("grid", "\n[[vary]]\nkey = 5\nvalues = [1]", "vary"),
        ("grid", ONE + "values = [1]\nother = 2", "other"),
    ],
)
def test_faults_are_told(sweep, design, rest, told):
    with pytest.raises(JobError, match=told):
        sweep(design, rest)


def test_a_case_knows_what_its_sweep_varies(sweep):
    first, *_, last = sweep("grid")
    keys = ("sampling.period_ms", "part.pose.translation_mm[1]")
    assert first.swept == tuple(zip(keys, (1.0, 1490.0), strict=True))
    assert last.swept == tuple(zip(keys, (5.5, 1510.0), strict=True))
    (lists,) = sweep("grid", '[[vary]]\nkey = "part.pose"\nvalues = [{ a = [1, 2.50] }]\n')
    assert lists.swept == (("part.pose", "{ a = [1, 2.50] }"),)
    assert {"name", "job", "text"} == set(first.document())  # a worker needs no more


@pytest.mark.parametrize(
    ("base", "told"),
    [
        *[("../base.toml", "leaves"), ("/a", "leaves"), ("pipe", "cannot be read: it is no reg")],
        *[("loop", "no usable path: Symlink loop"), (r"a\u0000b", "no usable path: embedded null")],
        ("none.toml", r"line 3: sweep\.base is 'none\.toml', and no such file is there"),
        ("x" * 5000, r"'x{56}\.\.\., (which is no usable path|and no such)"),
    ],
)
def test_the_base_is_a_file_beside_the_sweep(sweep, tmp_path, base, told):
    sweep("grid")
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    path = tmp_path / "s.toml"
    path.write_text(path.read_text().replace("base.toml", base))
    with pytest.raises(JobError, match=told):
        list(sweep_cases(path, "s.toml"))


LIST = '[[vary]]\nkey = "job.name"\nvalues = ["a", "b", "c", "d"]\n'
RANGE = '[[vary]]\nkey = "sampling.period_ms"\nfrom = 1\nto = 2\nsteps = 4\n'


@pytest.mark.parametrize(
    ("design", "head", "rest", "told"),
    [
        ("grid", "", LIST, r"vary\[0\]\.values is \['a'.*; expected at most 3 jobs of a sweep"),
        ("zip", "", RANGE, r"vary\[0\]\.steps is 4; expected at most 3 jobs of a sweep"),
        ("random", "count = 4\n", RANGE, r"sweep\.count is 4; expected at most 3 jobs of a sweep"),
        ("grid", "", TWO.replace("5.5]", "5.5]").replace("[1.0, 2,", "[1.0,"), "gives 6 combin"),
    ],
)
def test_the_number_of_jobs_has_a_cap(sweep, monkeypatch, design, head, rest, told):
    assert sweep(design, rest, head)
    monkeypatch.setenv("PALPEUR_CAP_SWEEP_JOBS", "3")
    with pytest.raises(JobError, match=rf"(?s){told}.*PALPEUR_CAP_SWEEP_JOBS=…\."):
        sweep(design, rest, head)


def test_the_number_of_keys_has_a_cap(sweep, monkeypatch):
    assert len(sweep("zip")) == 3
    monkeypatch.setenv("PALPEUR_CAP_SWEEP_KEYS", "1")
    told = r"vary is .*; expected at most 1 keys of a sweep; .*PALPEUR_CAP_SWEEP_KEYS=…\."
    with pytest.raises(JobError, match=told):
        sweep("zip")


def test_cases_are_made_when_they_are_asked_for(tmp_path):
    """A sweep that makes more than a batch takes must not stand in memory whole before that."""
    (tmp_path / "base.toml").write_text(BASE)
    path = tmp_path / "s.toml"
    path.write_text(HEAD.format("grid") + TWO.replace("steps = 3", "steps = 30000"))
    cases = sweep_cases(path, "s.toml")
    assert next(cases).name == "s.toml#00001"
