"""``palpeur demo``: the model core at work on the measuring arm, checked by independent roads."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

import numpy as np

from planner.cli.demo_checks import Check, run_checks
from planner.cli.described_robot import named_equations
from planner.cli.exit_codes import ExitCode
from planner.cli.output import FORMAT, bold, number, plain, print_json, print_table, write_file
from planner.cli.robot_document import counted, robot_document
from planner.cli.session import Session
from planner.cli.tableau_4 import tableau_4
from robots.core.inverse import Task
from robots.core.mechanism import Mechanism
from robots.core.model import Model
from robots.core.singularities import determinant
from robots.library import load

ARM = "measuring-arm"
SIX_JOINTS = "liegeois-6r"
# A posture of the arm that is neither singular nor symmetric. [deg]
POSTURE_DEG = (30.0, -40.0, 60.0, 90.0, -20.0)


def run_demo(out: str, *, as_json: bool, session: Session) -> int:
    """Show, check, and write files where a folder is given.

    Args:
        out: folder for the files, or nothing.
        as_json: whether the summary is printed in JSON.
        session: of this run.
    """
    arm = load(ARM)
    checks = run_checks(session)
    passed = all(check.passed for check in checks)
    if as_json:
        print_json(_document(arm, checks))
    else:
        _print_summary(arm, checks)
    if out:
        _write(Path(out), arm, checks)
        session.say(f"Files written to {out}")
    return ExitCode.DONE if passed else ExitCode.FAILED


def _document(arm: Mechanism, checks: tuple[Check, ...]) -> dict[str, object]:
    return {
        "format": FORMAT,
        "palpeur": version("palpeur"),
        "passed": all(check.passed for check in checks),
        "robot": robot_document(arm),
        "tableau_4": [asdict(row) for row in tableau_4()],
        "checks": [check.document() for check in checks],
    }


def _print_summary(arm: Mechanism, checks: tuple[Check, ...]) -> None:
    print(bold(f"Palpeur {version('palpeur')}: the model core on the {arm.name}"))
    print(f"{arm.source}\n")
    _print_posture(arm)
    print(f"\n{bold('Singular where')}")
    for condition in determinant(arm, Task.POSITION_AND_AXIS).conditions:
        print(f"  {condition}")
    print(f"\n{bold('Operations per sample')}")
    rows = [(name, str(counts)) for name, counts in counted(arm).items()]
    print_table(("quantity", "operations"), rows)
    print(f"\n{bold('Least time of one motion, as in [LAMMARI12] Tableau 4')}")
    laws = [(r.law, f"{r.duration_s:.4f}", f"{r.printed_s:.4f}") for r in tableau_4()]
    print_table(("law", "here s", "printed s"), laws)
    print(f"\n{bold(f'Gravity torques of the {SIX_JOINTS}, generated as in [LIEGEOIS80] §4.4')}")
    print("\n".join(f"  {line}" for line in _gravity_lines()))
    print(f"\n{bold('Checks by independent roads')}")
    verdicts = [
        (check.name, f"{check.value:.1e}", f"{check.limit:.1e}", "ok" if check.passed else "FAILED")
        for check in checks
    ]
    print_table(("check", "found", "limit", ""), verdicts)
    good = sum(check.passed for check in checks)
    print(f"\n{good} of {len(checks)} checks passed.")


def _print_posture(arm: Mechanism) -> None:
    model, q = Model(arm), np.radians(POSTURE_DEG)
    T = model.forward(q)
    print("at q = " + ", ".join(f"{x:g}" for x in POSTURE_DEG) + " deg")
    print("  the probe is at " + ", ".join(number(x) for x in T[:3, 3]) + " m")
    print("  its axis points along " + ", ".join(number(x) for x in T[:3, 2]))
    print(
        "  holding still takes " + ", ".join(f"{x:.4g}" for x in model.gravity_torques(q)) + " N m"
    )


def _gravity_lines() -> list[str]:
    from robots.core.symbols.condensed.pages import gravity_lines

    equations = named_equations(SIX_JOINTS, load(SIX_JOINTS))
    return gravity_lines(equations) if equations else []


def _write(folder: Path, arm: Mechanism, checks: tuple[Check, ...]) -> None:
    from planner.cli.demo_figure import motion_figure

    text = io.StringIO()
    with redirect_stdout(text):
        _print_summary(arm, checks)
    write_file(folder / "demo.txt", text.getvalue())
    document = json.dumps(plain(_document(arm, checks)), ensure_ascii=False, indent=1)
    write_file(folder / "demo.json", document + "\n")
    equations = named_equations(SIX_JOINTS, load(SIX_JOINTS))
    if equations is not None:
        write_file(folder / f"{SIX_JOINTS}.txt", equations.as_text())
    for name, content in motion_figure(arm).items():
        write_file(folder / name, content)
