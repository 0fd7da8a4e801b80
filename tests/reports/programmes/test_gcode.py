"""G-code for LinuxCNC and FANUC: run by interpreters of the manuals, judged against the plan."""

import os
import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest

from planner.errors import OutputError
from planner.evaluation.evaluate import evaluate
from planner.job import read_job
from planner.planning import plan
from reports.programmes import check_formats, programmes
from reports.programmes.gcode import fanuc, gantry_fault, linuxcnc
from reports.programmes.source import ProgrammeSource
from robots.library import load
from tests.cases import cases
from tests.reports.programmes.gantry import gantry_job
from tests.reports.programmes.gcode_interpreter import DIALECTS
from tests.reports.programmes.gcode_judge import Bench, mutants, noticed
from tests.reports.programmes.virtual_cell import VirtualCell

WRITERS = {"linuxcnc": linuxcnc, "fanuc": fanuc}
MUTANTS = cases(gate=4, soak=100)


# Each dialect and each kind of gantry once in the gate, every pair in the soak: with a head or not.
PAIRS = [("linuxcnc", False), ("fanuc", True), ("linuxcnc", True), ("fanuc", False)]


@pytest.fixture(scope="module", params=PAIRS[: cases(gate=2, soak=4)], ids=str)
def pair(request):
    return request.param


@pytest.fixture(scope="module")
def source(pair, tmp_path_factory):
    job = gantry_job(tmp_path_factory.mktemp("gantry"), head=pair[1])
    return ProgrammeSource(plan(job))


def text_of(source, dialect):
    (content,) = WRITERS[dialect](source).values()
    return content.decode("ascii")


@pytest.fixture(scope="module")
def bench(pair, source):
    return Bench(source.plan, source, pair[0])


def test_the_programme_does_what_the_plan_says_and_the_log_aligns_the_part(bench, source):
    bench.judge(text_of(source, bench.dialect))
    job = source.plan.job
    T = evaluate(job, bench.found).alignment.T_part_measured
    there = np.linalg.inv(job.part.T_base_part) @ bench.cell.displacement @ job.part.T_base_part
    left = T @ there  # what was found, after what was done
    corners = 0.06 * np.array(
        [[x, y, z, 1 / 0.06] for x in (-1, 1) for y in (-1, 1) for z in (0, 1)]
    )
    assert np.abs((corners @ left.T - corners)[:, :3]).max() <= 1e-9  # [m]: 1e-6 mm


def test_wrong_programmes_are_noticed(bench, source):
    text = text_of(source, bench.dialect)
    blind = [
        name
        for name, mutant in mutants(text, bench.dialect, MUTANTS).items()
        if not noticed(bench, mutant)
    ]
    assert blind == []


def test_no_search_is_faster_than_the_touch(source):
    for dialect, code in (("linuxcnc", "G38.3"), ("fanuc", "G31")):
        found = re.findall(rf"{re.escape(code)} .*F([\d.]+)", text_of(source, dialect))
        assert len(found) == 6
        wanted = [60e3 * touch.speed for touch in source.steps.touches]
        assert [float(feed) for feed in found] == pytest.approx(wanted, rel=5e-9)
        assert all(float(f) <= w * (1 + 1e-9) for f, w in zip(found, wanted, strict=True))


def test_a_head_that_turns_is_refused_in_words(tmp_path):
    folder = tmp_path
    gantry_job(folder, head=True)
    text = (folder / "job.toml").read_text()
    (folder / "job.toml").write_text(re.sub(r"axis = \[.*\]\n", "", text))
    turning = plan(read_job(folder / "job.toml"))
    with pytest.raises(OutputError, match=r"the head is set by hand .*; fix the stylus with"):
        programmes(turning, ["linuxcnc"])
    assert not any("palpeur.n" in path for path in programmes(turning))


def test_other_robots_are_no_gantries():
    assert gantry_fault(load("gantry-5")) == ""
    for name in ("measuring-arm", "industrial-6r", "stanford", "planar-3r"):
        assert gantry_fault(load(name)).startswith(
            "G-code moves three sliding axes at right angles"
        )
    leaning = load("gantry-5")
    joints = list(leaning.joints)
    joints[1] = (
        replace(joints[1], T_fixed=joints[0].T_fixed) if hasattr(joints[1], "T_fixed") else None
    )
    if joints[1] is not None:
        assert "right angles" in gantry_fault(replace(leaning, joints=tuple(joints)))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("base_number = 12", ""), "base_number is 12; LinuxCNC has the work coordinate systems"),
        (("", 'mode = "to-rest"'), 'touch.mode is "to-rest": the plan has no search'),
        ((None, ""), r"Add \[controller\] to one of them"),
    ],
)
def test_what_cannot_be_written_is_said_with_its_fix(tmp_path, change, why):
    more, mode = change
    gantry_job(tmp_path)
    robot = (tmp_path / "robot.toml").read_text()
    robot = robot.split("[controller]")[0] if more is None else f"{robot}{more}\n"
    (tmp_path / "robot.toml").write_text(robot)
    job = tmp_path / "job.toml"
    job.write_text(f"{job.read_text()}\n[touch]\n{mode}\n")
    with pytest.raises(OutputError, match=why):
        check_formats(["linuxcnc"], read_job(job))


def test_a_work_system_of_the_control(tmp_path):
    gantry_job(tmp_path)
    path = tmp_path / "robot.toml"
    path.write_text(path.read_text() + "base_number = 2\n")
    source = ProgrammeSource(plan(read_job(tmp_path / "job.toml")))
    for dialect in DIALECTS:
        text = text_of(source, dialect)
        assert " G55" in text
        assert "#5221" not in text  # what stands there is the user's


def test_a_coordinate_just_below_zero_keeps_its_place_in_a_log(tmp_path):
    """DPRNT has no digit for the sign of -0.00005 mm; what it prints is within 1e-4 mm."""
    from tests.reports.programmes.gcode_interpreter import Fanuc

    machine = Fanuc.__new__(Fanuc)
    source = ProgrammeSource(plan(gantry_job(tmp_path)))
    lines = text_of(source, "fanuc").split("\r\n")
    for value, printed in ((-0.00005, 0.0), (-0.0001491, -0.0001491), (123.45678914, 123.4567891)):
        machine.programmes = {7101: lines[lines.index("O7101(DIGITS OF A HIT)") + 1 : -2]}
        machine.variables = {5061: 0.0, 5062: 600.0 - value, 5063: 1000.0}
        machine.call(7101, "M99")
        text = machine.filled("#101[44]#102[10]#103[10]#104[10]")
        assert float(text) == pytest.approx(printed, abs=1e-9)


HOSTILE = ("a(b", "x;y)", "#<q1>", "%.2f", "(ABORT,now)", "é]")


def test_names_are_never_commands(bench, source, tmp_path):
    """Names that mean something to a control; the same moves, and a line of the log for each."""
    folder, head = tmp_path, bool(np.isfinite(bench.head).any())
    gantry_job(folder, head=head)
    text = (folder / "points.csv").read_text()
    for old, new in zip(("T1", "T2", "T3", "R1", "R2", "B1"), HOSTILE, strict=True):
        text = text.replace(f"{old},", f'"{new}",')
    (folder / "points.csv").write_text(text, encoding="utf-8")
    hostile = ProgrammeSource(plan(read_job(folder / "job.toml")))
    raw = text_of(hostile, bench.dialect)
    ran, plain = bench.execute(raw), bench.execute(text_of(source, bench.dialect))
    assert not ran.stopped
    assert [m.speed for m in ran.motions] == [m.speed for m in plain.motions]
    for one, other in zip(ran.motions, plain.motions, strict=True):
        assert (one.kind, one.end.tolist()) == (other.kind, other.end.tolist())
    rows = [line.split(",") for line in ran.log if not line.startswith("//")][1:]
    assert len({row[0] for row in rows}) == len(HOSTILE)
    assert [row[1:] for row in rows] == [
        line.split(",")[1:] for line in plain.log if not line.startswith("//")
    ][1:]
    missed = bench.execute(raw, cell=VirtualCell(hostile.plan, away=[HOSTILE[0]]))
    assert missed.stopped


# ------------------------------------------------------------------------------------------ rs274
# LinuxCNC's own interpreter, alone: no machine moves, a probe never touches.

RS274 = os.environ.get("PALPEUR_RS274") or shutil.which("rs274")


def rs274(text, tmp_path):
    """Canonical commands of LinuxCNC's interpreter."""
    (tmp_path / "a.ngc").write_text(text)
    for name in ("a.var", "a.tbl"):
        (tmp_path / name).write_text("T3 P3\n" if name == "a.tbl" else "")
    ran = subprocess.run(
        [str(RS274), "-g", "-v", "a.var", "-t", "a.tbl", "a.ngc"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return [line.split(maxsplit=2)[-1] for line in ran.stdout.splitlines() if " N" in line], ran


@pytest.mark.skipif(RS274 is None, reason="no rs274 (Debian: linuxcnc-uspace)")
def test_linuxcnc_reads_the_programme_as_it_is_meant(source, tmp_path):
    text = text_of(source, "linuxcnc")
    home = "G0 " + re.search(r"starts within .* of (X\S+ Y\S+ Z\S+)", text)[1]
    ready = f"T3 M6\nG21 G90 {home}\n"

    elsewhere, _ = rs274(text, tmp_path)
    assert not any(line.startswith(("STRAIGHT_", "LOG(")) for line in elsewhere)

    # Its probe never touches: the first point is missed, and nothing follows.
    missed, ran = rs274(ready + text, tmp_path)
    assert [line.split("(")[0] for line in missed].count("STRAIGHT_PROBE") == 1
    assert any("T1 is not found" in line for line in missed)
    assert "T1 is not found" in ran.stdout + ran.stderr

    # As if all were found, the coordinates printed with four digits.
    found, _ = rs274(ready + text.replace("#5070 EQ 0", "#5070 EQ 2"), tmp_path)
    touches = [line for line in found if line.startswith("STRAIGHT_PROBE(")]
    machine = [
        1e3 * source.plan.job.controller.to_controller(t.q_search_end)[:3]
        for t in source.steps.touches
    ]
    numbers = [[float(x) for x in re.findall(r"-?\d+\.\d+", line)[:3]] for line in touches]
    assert np.abs(np.array(numbers) - np.array(machine)).max() <= 5.1e-5
    before = [
        found[
            found.index(line)
            - 1
            - found[found.index(line) - 1 :: -1].index(
                next(x for x in found[found.index(line) - 1 :: -1] if x.startswith("SET_FEED_RATE"))
            )
        ]
        for line in touches
    ]
    assert before == [f"SET_FEED_RATE({60e3 * t.speed:.4f})" for t in source.steps.touches]
    logged = [line for line in found if line.startswith('LOG("') and "//" not in line]
    assert len(logged) == 1 + len(touches)
    assert found[-1].startswith(("ON_RESET", "PROGRAM_END"))
