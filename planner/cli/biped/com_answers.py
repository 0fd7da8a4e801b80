"""``palpeur biped com``: the centre of mass over the support polygon, at rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.cli.biped.balance_rows import Room, room_document, room_text, rooms, sentence
from planner.cli.biped.posture_input import (
    PostureInput,
    ground_of,
    limits_told_first,
    postures_of,
)
from planner.cli.exit_codes import ExitCode
from planner.cli.output import Form, bold, number, print_csv, print_rows
from robots.biped.library import open_biped
from robots.biped.posture.judging import judge_posture
from robots.biped.posture.standing import Standing, stand
from robots.biped.verdict import Stance, Verdict
from robots.core.arrays import Array
from robots.core.inverse.limits import limit_breaches

_HEADERS = ("state", "com_x_m", "com_y_m", "com_z_m", "margin_m", "nearest_edge", "stance", "foot")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Row:
    """One posture at rest.

    Args:
        standing: all postures, of which this is ``index``.
        index: see standing.
        where: it was read.
        verdict: on it.
        room: around it.
        limits: joints out of their limits, as a sentence; empty when there are none.
    """

    standing: Standing
    index: int
    where: str
    verdict: Verdict
    room: Room
    limits: str

    @property
    def com(self) -> Array:
        """Centre of mass. # (3,) [m]."""
        return np.asarray(self.standing.com[self.index])

    @property
    def nearest_edge(self) -> str:
        """Of the support polygon."""
        return self.standing.support[self.index].nearest_edge_name(self.com)


def print_com(
    robot: str, *, posture: str = "", states: str = "", tilt: str = "", form: Form
) -> int:
    """Print the balance of postures; exit code 1 when the robot does not stand in one of them.

    Args:
        robot: name or path of a biped file.
        posture: joint angles in degrees, all or some by name; the standing posture when neither
            this nor a table is given.
        states: path of a table with q; "-" reads standard input.
        tilt: roll and pitch of the ground in degrees.
        form: of the answer.

    Raises:
        RobotError: no such biped, or a posture in which no foot is flat on the ground.
        OptionError: both a posture and a table, or values that do not fit.
        StatesError: a table that cannot be read.
    """
    biped = open_biped(robot)
    given = postures_of(biped, posture=posture, states=states)
    ground = ground_of(tilt)
    with limits_told_first(biped, given):
        rows = _rows(given, stand(biped, given.q, ground))
    if form.json:
        print_rows(_document(row) for row in rows)
    elif form.csv:
        print_csv(_HEADERS, [_cells(row) for row in rows])
    else:
        _print_text(rows)
    stands = all(row.verdict.stance is Stance.STANDING for row in rows)
    return ExitCode.DONE if stands else ExitCode.FAILED


def _rows(given: PostureInput, standing: Standing) -> list[_Row]:
    found = []
    for index, (room, where) in enumerate(zip(rooms(standing), given.where, strict=True)):
        verdict = judge_posture(standing.com[index], standing.support[index])
        limits = limit_breaches(standing.biped.mechanism, standing.q[index])
        found.append(
            _Row(
                standing=standing,
                index=index,
                where=where,
                verdict=verdict,
                room=room,
                limits=limits,
            )
        )
    return found


def _document(row: _Row) -> dict[str, object]:
    standing, index = row.standing, row.index
    return {
        "mass_kg": standing.biped.mechanism.total_mass,
        "com_m": row.com,
        "margin_m": row.verdict.margin,
        "nearest_edge": row.nearest_edge,
        "stance": row.verdict.stance.value,
        "foot": standing.foot[index],
        "support_m": standing.support[index].corners,
        "edges": list(standing.support[index].edge_names),
        "ground_rad": [standing.ground.alpha, standing.ground.beta],
        "T_world_base": standing.T_world_base[index],
        **room_document(row.room),
        "out_of_limits": row.limits,
    }


def _cells(row: _Row) -> list[object]:
    verdict = row.verdict
    foot = row.standing.foot[row.index]
    balance = (verdict.margin, row.nearest_edge, verdict.stance.value, foot)
    return [row.index + 1, *row.com.tolist(), *balance]


def _print_text(rows: Sequence[_Row]) -> None:
    mechanism = rows[0].standing.biped.mechanism
    print(bold(f"{mechanism.name}, {number(mechanism.total_mass)} kg"))
    for row in rows:
        if row.where:
            print(bold(row.where))
        place = ", ".join(number(1e3 * x) for x in row.com.round(12))
        print(f"centre of mass {place} mm")
        print(sentence(row.verdict, row.standing.support[row.index], row.com))
        if text := room_text(row.room):
            print(text)
        if row.limits:
            print(f"note: out of limits: {row.limits}")
