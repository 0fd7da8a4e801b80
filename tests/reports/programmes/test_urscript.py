"""URScript, run: hits are those of a virtual measurement, misses stop, mutants are noticed."""

from __future__ import annotations

import re
import socket
import textwrap
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from planner.errors import OutputError
from reports.programmes import programmes
from reports.programmes.urscript import LOG_PORT
from tests.reports.programmes.programme_judge import (
    Runs,
    changed_line,
    dropped_line,
    log_rows,
    swapped,
    times,
    to,
)
from tests.reports.programmes.search_jobs import six_axis_plan
from tests.reports.programmes.urscript_interpreter import UrScript
from tests.reports.programmes.virtual_arm import RefusedError, VirtualArm
from tests.reports.programmes.virtual_cell import VirtualCell

DOCUMENT = Path(__file__).parents[3] / "docs" / "programmes.md"
POSTURE = r"-?[1-9]?\d*\.\d{12}"
NUMBER = r"(?<![\w.])\d+\.\d+"


OPERATORS = {
    "search dropped": dropped_line(r"^  palpeur_search\("),
    "sign of a joint": changed_line(
        r"(?<=[\[ ])-?(?=\d*[1-9]\d*\.\d{12}|\d*\.\d*[1-9]\d{6,11}[,\]])",
        lambda _, match: "" if match[0] else "-",
    ),
    "joint in degrees": changed_line(
        r"(?<=[\[ ])-?(?:0\.0[1-9]|0\.[1-9]|[1-9]\d*\.)\d+(?=[,\]])", times(180.0 / np.pi)
    ),
    "joint a little off": changed_line(
        r"(?<=[\[ ])-?\d+\.\d{12}(?=[,\]])", lambda _, m: f"{float(m[0]) + 1e-6:.12f}"
    ),
    "input ignored": changed_line(r"get_standard_digital_in\(palpeur_input\)", to("False", "True")),
    "input upside down": changed_line(r"if (?=get_standard)", to("if not ")),
    "another input": changed_line(r"(?<=palpeur_input = )\d+", to("0", "7", "12")),
    "wrong frame": changed_line(r"(?<=set_tcp\(p\[).*(?=\])", to(
        "0.0, 0.0, 0.0, 0.0, 0.0, 0.0", "0.0, 0.0, 60.0, 0.0, 0.0, 0.0",
        "0.001, 0.0, 0.06, 0.0, 0.0, 0.0", "0.0, 0.0, 0.06, 3.141592653589793, 0.0, 0.0",
        "0.0, 0.0, -0.06, 0.0, 0.0, 0.0", "0.06, 0.0, 0.0, 0.0, 0.0, 0.0",
    )),
    "touch speed": changed_line(r"(?<=^  palpeur_v = )0\.00[1-9]\d*", times(1.01, 10.0, 1000.0)),
    "other speed": changed_line(r"(?<=v=)(?!0\.05)[\d.]+(?=\)$)", times(4.0, 1000.0)),
    "stop": changed_line(r"(?<=^  palpeur_stop = )0\.[1-9]\d*", times(0.001, 0.01)),
    "no stop": dropped_line(r"stopl\("),
    "swapped names": swapped(r'palpeur_log\("([^"]*)"'),
    "swapped searches": swapped(r'palpeur_search\("[^"]*", (\[.*?\])'),
    "swapped lines": swapped(r"^  movel\((\[.*?\])"),
    "swapped travels": swapped(r"^  palpeur_clear = (.*)"),
    "line dropped": dropped_line(
        r"^  (movel|movej|palpeur_log|palpeur_start)\(|^  palpeur_clear = "
    ),
    "miss branch": changed_line(r"if not hit:", to("if hit:", "if False:")),
    "miss goes on": dropped_line(r"    palpeur_refuse\(str_cat\(\"no surface|^    halt"),
    "miss stays": dropped_line(r"    movel\(palpeur_clear"),
    "back-off the other way": changed_line(
        r"^  movel\(\[.*?\](?=, a=[\d.]+, v=0\.005)", lambda _, m: re.sub(
            r"\d+\.\d+", lambda n: f"{float(n[0]) * 0.999:.12f}", m[0]
        )
    ),
    "unit of the log": changed_line(r"r2d\(angle\)", to("angle", "r2d(r2d(angle))")),
    "digits of the log": changed_line(r"(?<=\* )1000000000|1000000000(?= \+)", to("100000000")),
    "map of the joints": changed_line(r"(?<=palpeur_axis = ).*", to(
        "[1, 0, 2, 3, 4, 5]", "[0, 1, 2, 3, 5, 4]", "[0, 1, 2, 4, 3, 5]"
    )),
    "map of the signs": changed_line(r"(?<=palpeur_sign = ).*", to(
        "[1, 1, 1, 1, -1, 1]", "[-1, -1, 1, 1, -1, 1]", "[1, -1, 1, 1, 1, 1]"
    )),
    "map of the zeros": changed_line(r"(?<=palpeur_zero = \[)0\.0", to("0.1", "1e-6")),
    "start tolerance": changed_line(r"(?<=\], )0\.0087\d*", to("0.5", "0.1")),
    "start unchecked": changed_line(r"> tolerance", to("< tolerance", "> 1.0")),
    "late reading": changed_line(r"palpeur_q = get_actual_joint_positions\(\)", to("sync()")),
}  # fmt: skip


@pytest.fixture(scope="module")
def runs():
    return runs_of(six_axis_plan())


def runs_of(plan):

    def run(text, *, cell=None, start=None, stuck=None, cycle=None, listening=True):
        start = runs.start + 3e-4 if start is None else start
        arm = VirtualArm(cell or VirtualCell(plan), start, stuck=stuck, cycle=cycle)
        stylus = plan.job.probe.stylus_length
        interpreter = UrScript(text, arm, plan.job.controller, stylus=stylus, listening=listening)
        return interpreter.run()

    runs = Runs(plan, run)
    return runs


def text_of(plan):
    return programmes(plan, ["urscript"])["robot/palpeur.script"].decode("ascii")


@pytest.fixture(scope="module")
def text():
    return text_of(six_axis_plan())


def test_every_touch_is_no_faster_than_asked(runs, text):
    record = runs.run(text)
    touched = [leg for leg in record.legs if leg.hit is not None]
    assert len(touched) == len(runs.plan.planned_points)
    assert max(leg.speed for leg in touched) <= 0.005 * (1.0 + 1e-9)


def test_it_stops_where_nothing_listens_to_the_log(runs, text):
    silent = runs.run(text, listening=False)
    assert silent.halted == "nothing listens to the log"
    assert silent.legs == []


def test_an_input_that_is_no_standard_one():
    plan = six_axis_plan()
    far = replace(plan.job.controller, probe_input=8)
    mechanism = replace(plan.job.mechanism, controller=far)
    plan = replace(plan, job=replace(plan.job, mechanism=mechanism))
    with pytest.raises(OutputError, match="inputs are 0 to 7"):
        programmes(plan, ["urscript"])


def test_a_frame_of_the_controller_reads_a_hit_late_by_a_frame(runs, text):
    record = runs.run(text, cycle=0.002)
    hits = VirtualCell(runs.plan).expected()
    for row in log_rows(record.log)[1:]:
        q = np.radians([float(cell) for cell in row[1:]])
        late = np.linalg.norm(runs.plan.trajectory.model.forward(q)[:3, 3] - hits[row[0]].centre)
        assert late <= 0.005 * 0.002 + 1e-9
    overruns = [leg.overrun for leg in record.legs if leg.hit is not None]
    bounds = [point.overrun for point in runs.plan.planned_points]  # visited in their order
    assert np.all(np.array(overruns) <= np.array(bounds) * (1.0 + 1e-9))


def test_the_documented_receiver_takes_the_log(runs, text, tmp_path, monkeypatch):
    block = re.search(r"```python\n(.*?)```", DOCUMENT.read_text(), flags=re.DOTALL)[1]
    code = textwrap.dedent(block)
    monkeypatch.chdir(tmp_path)
    receiver = threading.Thread(target=exec, args=(code, {}), daemon=True)
    receiver.start()
    log = runs.run(text).log
    for _ in range(200):
        try:
            with socket.create_connection(("127.0.0.1", LOG_PORT), timeout=5) as connection:
                connection.sendall(log.encode())
            break
        except ConnectionRefusedError:
            time.sleep(0.05)
    receiver.join(timeout=10)
    assert (tmp_path / "palpeur_hits.csv").read_text() == log


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("12.9999999996", "13.000000000"),
        ("-0.5", "-0.500000000"),
        ("-359.000000001", "-359.000000001"),
        ("0.0", "0.000000000"),
        ("7.00000000049", "7.000000000"),
    ],
)
def test_nine_decimals_whatever_the_controller_shows(runs, text, value, shown):
    told = text.replace("  set_tcp", f"  textmsg(palpeur_nine({value}))\n  halt\n  set_tcp", 1)
    assert runs.run(told).events == [("message", shown)]


@pytest.mark.parametrize(
    "line", ["movec([0], [1])", "x = 1", "servoj([0.0])", "while True", "palpeur_log(1", "end"]
)
def test_what_is_not_known_is_refused(runs, text, line):
    with pytest.raises(RefusedError):
        runs.run(text.replace("  set_tcp", f"  {line}\n  set_tcp", 1))
