"""``palpeur biped zmp``: the zero-moment point of states in motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.cli.biped.balance_rows import sentence
from planner.cli.biped.posture_input import ground_of, limits_told_first, table_of
from planner.cli.exit_codes import ExitCode
from planner.cli.output import Form, number, print_csv, print_rows, print_table
from robots.biped.library import open_biped
from robots.biped.posture.ground_wrench import (
    GroundWrench,
    centroidal_zero_moment_points,
    ground_wrench,
)
from robots.biped.posture.judging import judge
from robots.biped.posture.standing import Standing, stand
from robots.biped.posture.zero_moment import zero_moment_point
from robots.biped.verdict import Stance, Verdict
from robots.core.arrays import Array

_HEADERS = (
    "state",
    "zmp_x_m",
    "zmp_y_m",
    "zmp_z_m",
    "margin_m",
    "com_x_m",
    "com_y_m",
    "com_z_m",
    "fx_n",
    "fy_n",
    "fz_n",
    "stance",
    "edge",
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Answer:
    """Zero-moment points of all states.

    Args:
        standing: where the robot is.
        where: the states were read. # k
        wrench: of the ground.
        zmp: from the full dynamics. # (k, 3) [m]
        centroidal: the same from the momentum. # (k, 3) [m]
        verdicts: on each. # k
    """

    standing: Standing
    where: tuple[str, ...]
    wrench: GroundWrench
    zmp: Array
    centroidal: Array
    verdicts: tuple[Verdict, ...]

    @property
    def difference(self) -> Array:
        """Between the two roads. # (k,) [m]."""
        return np.asarray(np.linalg.norm(self.zmp - self.centroidal, axis=1))


def print_zmp(robot: str, *, states: str, tilt: str = "", form: Form) -> int:
    """Print zero-moment points; exit code 1 when the robot does not stand in one of the states.

    The standing foot rests; rates that the table does not have are zero.

    Args:
        robot: name or path of a biped file.
        states: path of a table with q, and if wanted qd and qdd; "-" reads standard input.
        tilt: roll and pitch of the ground in degrees.
        form: of the answer.

    Raises:
        RobotError: no such biped; a state without a flat foot, or one that pulls at the ground.
        OptionError: a tilt that is not two numbers.
        StatesError: a table that cannot be read.
    """
    answer = _answer(robot, states, tilt)
    if form.json:
        print_rows(_document(answer, row) for row in range(len(answer.zmp)))
    elif form.csv:
        print_csv(_HEADERS, [_cells(answer, row) for row in range(len(answer.zmp))])
    else:
        _print_text(answer)
    stands = all(verdict.stance is Stance.STANDING for verdict in answer.verdicts)
    return ExitCode.DONE if stands else ExitCode.FAILED


def _answer(robot: str, states: str, tilt: str) -> _Answer:
    biped = open_biped(robot)
    given = table_of(biped, states, "the zero-moment point")
    table = given.table
    rest = np.zeros_like(given.q)
    qd = rest if table is None else table.or_zero("qd")
    qdd = rest if table is None else table.or_zero("qdd")
    ground = ground_of(tilt)
    with limits_told_first(biped, given):
        standing = stand(biped, given.q, ground)
        wrench = ground_wrench(standing, qd, qdd)
    zmp = zero_moment_point(wrench.force, wrench.moment, standing.ground)
    return _Answer(
        standing=standing,
        where=given.where,
        wrench=wrench,
        zmp=zmp,
        centroidal=centroidal_zero_moment_points(standing, qd, qdd),
        verdicts=tuple(
            judge([0.0], standing.com[row : row + 1], zmp[row : row + 1], polygon)
            for row, polygon in enumerate(standing.support)
        ),
    )


def _document(answer: _Answer, row: int) -> dict[str, object]:
    standing, verdict = answer.standing, answer.verdicts[row]
    polygon = standing.support[row]
    return {
        "zmp_m": answer.zmp[row],
        "zmp_margin_m": float(polygon.signed_margin(answer.zmp[row])),
        "com_m": standing.com[row],
        "com_margin_m": float(polygon.signed_margin(standing.com[row])),
        "force_n": answer.wrench.force[row],
        "moment_nm": answer.wrench.moment[row],
        "centroidal_difference_m": float(answer.difference[row]),
        "stance": verdict.stance.value,
        "edge": verdict.edge,
        "foot": standing.foot[row],
        "support_m": polygon.corners,
        "edges": list(polygon.edge_names),
        "ground_rad": [standing.ground.alpha, standing.ground.beta],
    }


def _cells(answer: _Answer, row: int) -> list[object]:
    standing, verdict = answer.standing, answer.verdicts[row]
    margin = float(standing.support[row].signed_margin(answer.zmp[row]))
    return [
        row + 1,
        *answer.zmp[row].tolist(),
        margin,
        *standing.com[row].tolist(),
        *answer.wrench.force[row].tolist(),
        verdict.stance.value,
        verdict.edge,
    ]


def _print_text(answer: _Answer) -> None:
    heads = ("state", "ZMP x mm", "y mm", "z mm", "COM x mm", "y mm", "fz N", "verdict")
    rows = []
    for row, verdict in enumerate(answer.verdicts):
        com, zmp = answer.standing.com[row], answer.zmp[row]
        fallen = verdict.stance is Stance.FALLEN
        shown = sentence(verdict, answer.standing.support[row], com if fallen else zmp)
        millimetres = (1e3 * np.concatenate([zmp, com[:2]])).round(9).tolist()
        force = float(answer.wrench.force[row, 2])
        rows.append([str(row + 1), *map(number, millimetres), number(force), shown])
    print_table(heads, rows)
    largest = 1e3 * float(np.max(answer.difference))
    print(f"the momentum's road differs by at most {largest:.2g} mm")
