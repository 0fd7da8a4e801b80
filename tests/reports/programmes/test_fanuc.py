"""FANUC TP and its KAREL log, run: hits as measured virtually, misses stop, mutants are noticed."""

from __future__ import annotations

import re

import pytest

from planner.errors import OutputError
from reports.programmes import programmes
from reports.programmes.rates import stop_deceleration
from tests.cases import some
from tests.reports.programmes.fanuc_interpreter import FanucTp
from tests.reports.programmes.programme_judge import (
    Runs,
    changed_line,
    dropped_line,
    five_axes_faults,
    swapped,
    times,
    to,
)
from tests.reports.programmes.search_jobs import library_plan, six_axis_plan
from tests.reports.programmes.virtual_arm import RefusedError, VirtualArm
from tests.reports.programmes.virtual_cell import VirtualCell

BETWEEN = "\f\n"  # the two files of a programme, as one text that mutants are made of
AXIS = r"(?<== )( *)(-?\d+\.\d{9})(?= deg)"


def _axis(change):
    """An operator that changes one value of a position, never one that is zero."""
    pattern = re.compile(r"[JE]\d= +(-?\d*[1-9]\d*\.\d{9}|-?0\.0{0,4}[1-9]\d*) deg")

    def operator(rng, lines):
        places = [k for k, line in enumerate(lines) if pattern.search(line)]
        k = int(rng.choice(places))
        found = list(pattern.finditer(lines[k]))
        match = found[int(rng.integers(len(found)))]
        new = f"{change(float(match[1])):.9f}"
        return [
            *lines[:k],
            lines[k][: match.start(1)] + new + lines[k][match.end(1) :],
            *lines[k + 1 :],
        ]

    return operator


def _a_third(_, match):
    return str(int(match[0]) // 3)


def _next_axis(_, match):
    return str(int(match[0]) % 6 + 1)


def _other_way(rng, lines):
    """The back-off goes to the end of the search."""
    searches = [k for k, line in enumerate(lines) if "Skip,LBL" in line]
    k = int(rng.choice(searches))
    end = re.search(r"P\[\d+\]", lines[k])[0]
    return [*lines[: k + 1], re.sub(r"P\[\d+\]", end, lines[k + 1]), *lines[k + 2 :]]


OPERATORS = {
    "search dropped": dropped_line(r"Skip,LBL"),
    "search without skip": changed_line(r" Skip,LBL\[\d+\],PR\[92\]=JPOS", to("")),
    "sign of a joint": _axis(lambda value: -value),
    "joint in radians": _axis(lambda value: value * 0.017453292519943295),
    "joint a little off": _axis(lambda value: value + 1e-4),
    "input ignored": dropped_line(r"SKIP CONDITION|IF DI\["),
    "another input": changed_line(r"(?<=SKIP CONDITION DI\[)3", to("1", "4", "33")),
    "input upside down": changed_line(r"(?<=SKIP CONDITION DI\[3\]=)ON", to("OFF")),
    "another input before": changed_line(r"(?<=IF DI\[)3", to("1", "4")),
    "wrong frame": changed_line(r"(?<=UFRAME_NUM=)0|(?<=UF : )0", to("1", "2")),
    "wrong tool": changed_line(r"(?<=UTOOL_NUM=)2|(?<=UT : )2", to("1", "3")),
    "override": changed_line(r"(?<=OVERRIDE=)100", to("10", "50")),
    "touch speed": changed_line(r"(?<= )5\.0(?=mm/sec)", times(0.1, 2.0, 10.0, 100.0)),
    "other speed": changed_line(r"(?<= )\d{3}\.\d(?=mm/sec)", times(2.0, 10.0)),
    "time of a travel": changed_line(r"(?<= )(?!1000m)\d+(?=msec)", _a_third),
    "unit of a speed": changed_line(r"(?<=\d)mm/sec", to("cm/min", "inch/min", "sec")),
    "swapped names": swapped(r"CALL PALPLOG\(1,'([^']*)'\)"),
    "swapped searches": swapped(r":L (P\[\d+\]) 5\.0mm/sec FINE Skip"),
    "swapped positions": swapped(r"^P(\[\d+\])\{"),
    "swapped misses": swapped(r"Skip,LBL\[(\d+)\]"),
    "line dropped": dropped_line(r":[LJ] P\[\d+\] [\d.]+(mm/sec|msec) FINE ;"),
    "miss goes on": dropped_line(r":  ABORT|JMP LBL\[902\]"),
    "miss not logged": dropped_line(r"PALPLOG\(2"),
    "hit not logged": dropped_line(r"PALPLOG\(1"),
    "back-off the other way": _other_way,
    "map of the joints": changed_line(r"(?<=\(shown\[)[1-6]", _next_axis),
    "sign in the log": changed_line(r"(?<== )-?(?=\(shown)", lambda _, m: "" if m[0] else "-"),
    "zero in the log": changed_line(r"(?<= - )\(?-?[\d.]+\)?(?=\))", to("0.000001", "1.0")),
    "digits of the log": changed_line(r"::16::9", to("::16::3", "::10::4")),
    "register of the log": changed_line(r"(?<=PR\[)92(?=\]=JPOS)|(?<=REG\()92", to("91", "93")),
    "file of the log": changed_line(r"'AP'", to("'RW'")),
    "start tolerance": changed_line(r">0\.500", to(">5.000", ">90.000")),
    "start unchecked": changed_line(r"LBL\[900\](?= ;)", to("LBL[999]")),
    "start elsewhere": changed_line(r"(?<=\]-)\d+\.\d{9}", times(-1.0, 0.9)),
}  # fmt: skip


def runs_of(plan):
    def run(text, *, cell=None, start=None, stuck=None, cycle=None):
        arm = VirtualArm(
            cell or VirtualCell(plan),
            runs.start + 3e-4 if start is None else start,
            stuck=stuck,
            cycle=cycle,
        )
        programme, _, karel = text.partition(BETWEEN)
        movable, controller = plan.job.mechanism.movable, plan.job.controller
        angular = [movable[k].kind.angular for k in controller.order]
        return FanucTp(
            programme, karel, arm, controller, angular=angular, latency=latency, deceleration=stop
        ).run()

    runs = Runs(plan, run)
    latency = plan.job.touch.latency
    stop = max(
        stop_deceleration(point.touch_speed, point.overrun, latency)
        for point in plan.planned_points
    )
    return runs


def text_of(plan):
    files = programmes(plan, ["fanuc"])
    texts = [files[path].decode("ascii") for path in ("robot/palpeur.ls", "robot/palplog.kl")]
    return BETWEEN.join(text.replace("\r\n", "\n") for text in texts)


@pytest.fixture(scope="module")
def runs():
    return runs_of(six_axis_plan())


@pytest.fixture(scope="module")
def text():
    return text_of(six_axis_plan())


@pytest.mark.parametrize("name", some(["nine-points-corrected", "block-with-holes"], gate=1))
def test_an_arm_of_five_axes_searches_by_joints(name):
    plan = library_plan(name)
    assert not plan.job.controller.cartesian
    written = text_of(plan)
    assert re.search(r":L P", written) is None
    assert five_axes_faults(runs_of(plan), written) == []


def test_an_axis_that_is_counted_from_the_horizontal():
    plan = six_axis_plan("coupled = [{ axis = 3, of = 2, factor = -1.0 }]\n")
    written, plain = text_of(plan), text_of(six_axis_plan())
    assert "shown[3] = shown[3] - (-1.000000000) * shown[2]" in written
    assert runs_of(plan).all_faults(written) == []
    assert runs_of(plan).all_faults(plain) != []  # of a controller that counts otherwise
    with pytest.raises(OutputError, match="counts every axis by itself"):
        programmes(plan, ["urscript"])


@pytest.mark.parametrize(
    "line", ["C P[1] P[2] 5mm/sec FINE", "L P[1] 5.0mm/sec CNT100", "WAIT DI[3]=ON", "R[1]=R[1]+1"]
)
def test_what_is_not_known_is_refused(runs, text, line):
    with pytest.raises(RefusedError):
        runs.run(text.replace("  OVERRIDE=100%", f"  {line}", 1))
