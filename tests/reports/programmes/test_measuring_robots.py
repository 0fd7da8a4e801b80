"""KRL and RAPID run against a virtual part: hits, overrun, misses, refusals, mutants."""

import os
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from planner.evaluation.evaluate import evaluate
from planner.evaluation.reading import read_measured
from planner.job import read_job
from planner.library import path_of
from planner.planning import plan
from reports.programmes import programmes
from robots.core.pose import inverse_pose
from robots.library import text_of
from tests.cases import SOAK, cases, some
from tests.reports.programmes import conftest as jobs
from tests.reports.programmes.judge import Judge
from tests.reports.programmes.krl_interpreter import HaltedError, Krl
from tests.reports.programmes.mutants import (
    block_dropped,
    dropped,
    exchanged,
    mutants,
    replaced,
    scaled,
)
from tests.reports.programmes.rapid_interpreter import ExitError, Rapid, RapidError
from tests.reports.programmes.virtual_arm import RefusedError

MACHINES = {"krl": (Krl, (HaltedError,), 5.0), "rapid": (Rapid, (ExitError, RapidError), 50.0)}
TURNED = """[controller]
axes = ["q1", "q2", "q3", "q4", "q5", "q6"]
signs = [1, -1, 1, -1, 1, 1]
offsets_deg = [0, 90, -12.5, 0, 0, 180]
home_deg = [-130, -110, -20, 5, -45, -160]
tool_number = 2
base_number = 1
probe_input = 3
speed_override_percent = 40
"""
THREE = "P3,-60,30,10,0,-0.28,0.96\n"


@cache
def planned(name, folder):
    """A plan of two or three points: the five-axis arm by joints, six axes by straight lines."""
    folder.mkdir(exist_ok=True)
    if name == "five axes":
        job = jobs.JOB.replace("DIRECTION", '"normal"')
        points = jobs.POINTS + "P3,-60,30,300,0,0,1\n"
    else:
        (folder / "robot.toml").write_text(text_of("industrial-6r"))
        limits = [f"limits.q{k} = {{ max_acceleration_rad_s2 = 20.0 }}" for k in range(1, 7)]
        job = jobs.ARM_JOB.replace("ROBOT", "robot.toml").replace("LIMITS", "\n".join(limits))
        job, points = f"{job}dwell_s = 0.05\n{TURNED}", jobs.ARM_POINTS + THREE
    (folder / "job.toml").write_text(job)
    (folder / "points.csv").write_text(points)
    return plan(read_job(folder / "job.toml"))


@pytest.fixture(scope="module")
def plan_of(tmp_path_factory):
    folder = tmp_path_factory.mktemp("robots")
    return lambda name: planned(name, folder / name.replace(" ", "-"))


def judge_of(plan, key):
    return Judge(plan, *MACHINES[key][1:])


def maker(plan, key, files):
    machine = MACHINES[key][0]

    def make(cell, start, **options):
        return machine(files, plan.job, cell, start, **options)

    return make


# Six axes are judged in the gate with a published arm, too.
@pytest.mark.parametrize("key", MACHINES)
@pytest.mark.parametrize("name", some(["five axes", "six axes"], gate=1))
def test_a_programme_does_what_its_plan_says(plan_of, name, key):
    plan = plan_of(name)
    judge_of(plan, key).judge(maker(plan, key, programmes(plan, [key])))


@pytest.mark.parametrize("key", MACHINES)
@pytest.mark.parametrize("name", ["five axes", "six axes"])
def test_its_log_is_evaluated_as_it_is(plan_of, name, key, tmp_path):
    plan = plan_of(name)
    judge = judge_of(plan, key)
    machine = maker(plan, key, programmes(plan, [key]))(judge.moved, judge.home, **judge.arm).run()
    path = tmp_path / "palpeur_hits.csv"
    path.write_text("\n".join(machine.log) + "\n")
    measured = read_measured(path, plan.job)
    assert measured.names == tuple(t.name for t in judge.touches)
    assert (measured.frame, measured.compensated) == ("base", False)
    centres = np.array([judge.expected[n].centre for n in measured.names])
    off = np.linalg.norm(measured.xyz - centres, axis=1).max()
    assert off <= (1e-9 if plan.job.controller.cartesian else 1.1e-6)


# --- the whole loop ------------------------------------------------------------------------------

CUBE = [
    *(f"T{k},{x},{y},0,0,0,1,top" for k, (x, y) in enumerate([(-40, -30), (40, -25), (5, 35)])),
    *(
        f"F{k},{x},-50,{z},0,-1,0,front"
        for k, (x, z) in enumerate([(-40, -10), (40, -12), (5, -30)])
    ),
    *(
        f"L{k},-60,{y},{z},-1,0,0,left"
        for k, (y, z) in enumerate([(-30, -10), (30, -12), (5, -30)])
    ),
]
DATUMS = """[evaluation]
alignment = "datums"
datums = ["top", "front", "left"]
compensation = "fitted"
"""


@pytest.fixture(scope="module")
def cube(tmp_path_factory):
    """A corner of three planes before six axes."""
    folder = tmp_path_factory.mktemp("cube")
    (folder / "robot.toml").write_text(text_of("industrial-6r"))
    limits = [f"limits.q{k} = {{ max_acceleration_rad_s2 = 20.0 }}" for k in range(1, 7)]
    job = jobs.ARM_JOB.replace("ROBOT", "robot.toml").replace("LIMITS", "\n".join(limits))
    (folder / "job.toml").write_text(f"{job}axis = [0, 0, -1]\n{TURNED}{DATUMS}")
    head = "name,x_mm,y_mm,z_mm,nx,ny,nz,feature"
    (folder / "points.csv").write_text("\n".join([head, *CUBE]) + "\n")
    return plan(read_job(folder / "job.toml"))


def found_alignment(made, key, folder):
    """Where ``palpeur evaluate`` finds a part that was moved, and where it is: error at 50 mm."""
    judge = judge_of(made, key)
    machine = maker(made, key, programmes(made, [key]))(judge.moved, judge.home, **judge.arm).run()
    path = folder / "palpeur_hits.csv"
    path.write_text("\n".join(machine.log) + "\n")
    found = evaluate(made.job, read_measured(path, made.job)).alignment.T_part_measured
    T = made.job.part.T_base_part
    true = inverse_pose(inverse_pose(T) @ judge.moved.displacement @ T)
    return float(np.abs(0.05 * (found - true)[:3, :3]).max() + np.abs((found - true)[:3, 3]).max())


@pytest.mark.parametrize("key", MACHINES)
def test_a_part_that_was_moved_is_found_again(cube, key, tmp_path):
    assert cube.feasible
    assert found_alignment(cube, key, tmp_path) < 1e-9  # [m], a millionth of a millimetre


@pytest.mark.skipif(not SOAK, reason="make soak: 43 touches of a block with detours")
@pytest.mark.parametrize("key", MACHINES)
def test_a_block_that_was_moved_is_found_again(key, tmp_path):
    job = read_job(path_of("block-with-holes")).replace(
        evaluation={
            "alignment": "datums",
            "datums": ["top", "front", "left"],
            "compensation": "fitted",
        }
    )
    made = plan(job)
    assert found_alignment(made, key, tmp_path) < 1e-9
    judge = judge_of(made, key)
    judge.judge(maker(made, key, programmes(made, [key])), places=[0, 20])


UR5E = Path(os.environ.get("PALPEUR_REAL_DATA", "../shared/data/real")) / "ur5e.urdf"


@pytest.mark.skipif(not UR5E.is_file(), reason=f"{UR5E} is not there")
@pytest.mark.parametrize("key", MACHINES)
def test_a_published_arm_measures(key, tmp_path):
    (tmp_path / "ur5e.urdf").write_bytes(UR5E.read_bytes())
    text = jobs.ARM_JOB.replace("ROBOT", "ur5e.urdf")
    text = text.replace("LIMITS", "default_acceleration_rad_s2 = 10.0")
    text = text.replace("[450, 200, 600]", "[350, 200, 300]")
    made = read_job_text(tmp_path, text)
    names = ", ".join(f'"{joint.name}"' for joint in made.mechanism.movable)
    made = plan(read_job_text(tmp_path, f"{text}[controller]\naxes = [{names}]\nprobe_input = 3\n"))
    assert made.feasible
    judge_of(made, key).judge(maker(made, key, programmes(made, [key])))


def read_job_text(folder, text):
    """A job of the six-axis points."""
    (folder / "job.toml").write_text(text)
    (folder / "points.csv").write_text(jobs.ARM_POINTS)
    return read_job(folder / "job.toml")


@pytest.mark.soak  # of what the interpreter of the gate reads
@pytest.mark.parametrize("name", ["six axes", "five axes"])
def test_a_checker_of_rapid_accepts_the_module(plan_of, name):
    checker = pytest.importorskip("rapidchecker.check", reason="rapidchecker is not installed")
    module = programmes(plan_of(name), ["rapid"])["robot/palpeur.mod"].decode("ascii")
    assert checker.check_format(module.replace("\r\n", "\n")) == []


# --- mutants -------------------------------------------------------------------------------------

_KRL_POINTS = r"DECL E6AXIS (XHOME|X_\w+)=.*"
_KRL_SHIFTS = r"DECL E6POS [SEB]_\w+=.*"
_KRL_GUARD = r"WHILE STAT.*|IF NOT NEAR.*"
_KRL_WORDS = (
    r"BRAKE F|XHIT=.*|TOUCHED=.*|RESUME|INTERRUPT .*|SLIN .*|REF=.*|GOAL.*|SHIFT\(.*|NEAR=.*|"
    r"XNOW=.*|STAND\(.*|TO_JOINTS\(\)|QL.*|SWRITE.*|CWRITE.*|OPEN_LOG\(\)|CLOSE_LOG\(\)|StrClear.*|"
    r"OFS=0|MODE=.*|TOUCH_\w+\(\)|SEARCH_\w+\(\)|HALT|RETURN|\$(TOOL|BASE|VEL|ADV|IPO|OV).*|BAS.*|"
    r"WAIT .*|SPTP .*"
)
KRL_KINDS = {
    "statement dropped": dropped(_KRL_WORDS),
    "search dropped": dropped(r"SEARCH_\w+\(\)|TOUCH_\w+\(\)|INTERRUPT ON 21"),
    "guard dropped": block_dropped(_KRL_GUARD, "ENDWHILE|ENDIF"),
    "miss branch dropped": block_dropped("IF NOT TOUCHED THEN", "ENDIF"),
    "limit of an axis dropped": block_dropped(r"IF ABS.*", "ENDIF"),
    "sign of an axis": scaled("sign", _KRL_POINTS),
    "sign of a shift": scaled("sign", _KRL_SHIFTS),
    "unit of an axis": scaled("radians", _KRL_POINTS),
    "unit of a shift": scaled("unit", _KRL_SHIFTS),
    "sign of a posture": scaled("sign", r"SPTP \{.*"),
    "points exchanged": exchanged(r"DECL E6AXIS X_P\d+=(.*)"),
    "shifts exchanged": exchanged(r"DECL E6POS [SEB]_P\d+=(.*)"),
    "touches exchanged": exchanged(r"(TOUCH_P\d+\(\))"),
    "names exchanged": replaced(r'"P(\d),', r'"P\g<1>1,', r"SWRITE.*"),
    "input": replaced(r"\$IN\[(\d+)\]", r"$IN[1\1]"),
    "level of the input": replaced("==TRUE", "==FALSE", "INTERRUPT.*"),
    "guard of the input": replaced(r"NOT \$IN", "$IN"),
    "frame": replaced(r"BASE_DATA\[\d\]|\$NULLFRAME", "BASE_DATA[7]"),
    "no frame": replaced(r"(TOOL|BASE)_DATA\[\d\]", "$NULLFRAME", r"\$BASE=.*"),
    "tool": replaced(r"TOOL_DATA\[(\d)\]", r"TOOL_DATA[1\1]"),
    "speed": scaled("tenfold", r"\$VEL\.CP=.*"),
    "slow": scaled("half", r"\$VEL\.CP=.*"),
    "time": scaled("half", r"TIME_BLOCK END=.*"),
    "rest": scaled("tenfold", r"WAIT SEC .*"),
    "tolerance": replaced(r"(0\.\d+),", r"1\1,", r"STAND\(.*"),
    "offset": replaced(r"-\((-?)(\d+)\.", r"-(\g<1>1\2.", r"QL.*"),
    "sign of the log": replaced(r"=(1|-1)\.0\*", r"=\g<1>0*-1*", r"QL.*"),
    "axis of the log": replaced(r"XHIT\.A(\d)", r"XNOW.A\1", r"QL.*"),
    "latched": replaced(r"\$AXIS_INT", "$AXIS_ACT"),
    "speed of the first way": replaced(r"=5$", "=50", r"\$VEL_AXIS.*"),
    "override": replaced(r"=(\d+)$", r"=1\1", r"\$OV_PRO.*"),
}
_POINT = r"LOCAL CONST jointtarget j\w+(\{\d\})?:=.*"
_RAPID_WORDS = (
    r"missed:=.*|touched:=.*|WaitTime .*|Search.*|MoveL .*|MoveExtJ .*|MoveAbsJ .*|EXIT;|"
    r"palpeur_touch .*|TRYNEXT;|RAISE;|Write .*|Close .*|Open .*|palpeur_open;|VelSet .*|Conf.*|"
    r"IF (Abs|NOT missed p|tou).*|RETURN .*|here:=.*"
)
RAPID_KINDS = {
    "statement dropped": dropped(_RAPID_WORDS),
    "search dropped": replaced(r"Search(\w+) \\Stop,di\d+,hit,", r"Move\1 "),
    "stop dropped": replaced(r"\\Stop,", r"\\Sup,"),
    "guard dropped": block_dropped(r"IF NOT palpeur_near\(.*", "ENDIF"),
    "miss branch dropped": block_dropped("IF missed THEN", "ENDIF"),
    "handler dropped": block_dropped("ERROR", "RAISE;"),
    "errors": replaced(r"ERR_(WHL|SIGSUP)SEARCH", "ERR_FILEOPEN", r"IF ERRNO.*"),
    "sign of a joint": scaled("sign", _POINT),
    "unit of a joint": scaled("radians", _POINT),
    "points exchanged": exchanged(r"  LOCAL CONST jointtarget jclear_P\d:=(.*)"),
    "ends exchanged": exchanged(r"  LOCAL CONST jointtarget j(?:end|back)_P\d:=(.*)"),
    "lines exchanged": exchanged(r"  LOCAL CONST jointtarget jline_P\d\{\d\}:=(.*)"),
    "touches exchanged": exchanged(r"    (palpeur_touch \"P\d\".*)"),
    "names": replaced(r'"P(\d)"', r'"P\g<1>1"'),
    "back-off before search": replaced(r"(jend_P\d),(jback_P\d)", r"\2,\1"),
    "input": replaced(r"\bdi(\d+)", r"di1\1"),
    "tool": replaced(r"tool(\d)\\", r"tool1\1\\"),
    "frame": replaced(r"wobj(\d)", r"wobj1\1"),
    "speed of a search": scaled("tenfold", r"(palpeur_touch|LOCAL CONST speeddata) .*"),
    "slow": scaled("half", r"(palpeur_touch|LOCAL CONST speeddata) .*"),
    "time": scaled("half", r"Move(AbsJ|ExtJ) \w+.*vmax.*"),
    "zone": replaced("fine", "z10"),
    "tolerance": replaced(r",0(\.\d+,0)", r",10\1", r"IF NOT palpeur_near.*"),
    "override": replaced(r"VelSet (\d+)", r"VelSet 1\1"),
    "speed of the first way": replaced(r"v50\b", "v500"),
    "offset": replaced(r"-\((-?)(\d+)\.", r"-(\g<1>1\2.", r"Write hits.*"),
    "sign of the log": replaced(r"DnumToStr\(", "DnumToStr(-1*", r"Write hits.*"),
    "axis of the log": replaced(r"ax_([1-5ab])\)", r"ax_6)", r"Write hits.*"),
    "limit of an axis": replaced(r">(angle|length)", r">1000*\1"),
    "digits of the log": replaced(r",9\)", ",2)", r"Write hits.*"),
    "hit": replaced(r"palpeur_log name,.*;", r"palpeur_log name,CJointT();"),
    "condition": replaced(r"IF (NOT )?(missed|touched)", r"IF NOT \1\2"),
}
KINDS = {"krl": KRL_KINDS, "rapid": RAPID_KINDS}
PAIRS = [
    *(("five axes", "krl"), ("six axes", "rapid")),  # of the gate
    *(("six axes", "krl"), ("five axes", "rapid")),
]


@pytest.mark.parametrize(("name", "key"), PAIRS[: cases(gate=2, soak=4)])
def test_every_mutant_is_noticed(plan_of, name, key):
    plan = plan_of(name)
    files = programmes(plan, [key])
    judge = judge_of(plan, key)
    unnoticed = []
    for what, changed in mutants(files, KINDS[key], count=cases(gate=4, soak=100)):
        try:
            judge.judge(maker(plan, key, changed))
        except (AssertionError, RefusedError, *judge.stops):
            continue
        unnoticed.append(what)
    assert unnoticed == []


@pytest.mark.parametrize("key", MACHINES)
@pytest.mark.parametrize("name", ["five axes", "six axes"])
def test_the_text_is_exact_enough(plan_of, name, key):
    plan = plan_of(name)
    for content in programmes(plan, [key]).values():
        text = content.decode("ascii")
        assert re.search(r"\d\.\d{9}\b", text)
        assert text.count("\n") == text.count("\r\n")
        assert all(len(line) < 8000 for line in text.splitlines())
