"""Answers of the inverse models: postures that reach a target, joint rates of a tool's rates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from reports.answers import (
    Rows,
    StateQuantity,
    number,
    state_lines,
    state_table,
    table_lines,
    tip_document,
)
from robots.arm.postures import InversePosture, InversePostures
from robots.core.inverse import JointRates
from robots.core.mechanism import Mechanism

_MOST_TOLD = 10  # states without a posture that are told one by one


# --- postures ------------------------------------------------------------------------------------


def posture_rows(mechanism: Mechanism, found: Sequence[InversePostures]) -> Rows:
    """Postures of every state in JSON."""
    return Rows(rows=map(_state, found), facts=tip_document(mechanism))


def posture_table(
    found: Sequence[InversePostures], joints: Sequence[str]
) -> tuple[tuple[str, ...], list[list[object]]]:
    """Headers and one row per posture.

    Args:
        found: of every state.
        joints: headers of the joint values.
    """
    headers = ("state", "solution", "branch", *joints, "residual", "within_limits")
    rows: list[list[object]] = []
    for state, answer in enumerate(found, start=1):
        for place, posture in enumerate(answer.postures, start=1):
            verdict = "yes" if posture.within_limits else "no"
            numbers = [*posture.q.tolist(), posture.residual]
            rows.append([state, place, posture.branch, *numbers, verdict])
    return headers, rows


def posture_lines(found: Sequence[InversePostures], joints: Sequence[str]) -> Iterator[str]:
    """The same for a terminal."""
    headers, rows = posture_table(found, joints)
    cells = [[number(x) if isinstance(x, float) else str(x) for x in row] for row in rows]
    yield from table_lines(headers, cells)


def posture_failures(found: Sequence[InversePostures], lines: Sequence[int]) -> Iterator[str]:
    """Why states have no posture within the limits; the first ones. Args: lines: of the table."""
    failed = [place for place, answer in enumerate(found) if not answer.success]
    for place in failed[:_MOST_TOLD]:
        code = "R202" if found[place].postures else "R201"  # out of limits, or not reached at all
        yield f"{code} error: line {lines[place]}: {found[place].reason}"
    if len(failed) > _MOST_TOLD:
        yield f"and {len(failed) - _MOST_TOLD} more of {len(found)} states."


def _state(answer: InversePostures) -> dict[str, object]:
    row: dict[str, object] = {"solutions": [_posture(posture) for posture in answer.postures]}
    return row if answer.success else row | {"reason": answer.reason}


def _posture(posture: InversePosture) -> dict[str, object]:
    document: dict[str, object] = {
        "q": posture.q,
        "branch": posture.branch,
        "residual": posture.residual,
        "within_limits": posture.within_limits,
        "position_residual_m": posture.position_residual,
        "angle_residual_rad": posture.angle_residual,
    }
    if posture.arm is None:
        return document
    return document | {
        "limit_margins_rad": posture.arm.limit_margins,
        "alternatives": posture.arm.alternatives,
        "singularity_margin": posture.arm.singularity_margin,
        "singular": posture.arm.singular,
    }


# --- joint rates ---------------------------------------------------------------------------------


def rate_rows(mechanism: Mechanism, key: str, found: JointRates) -> Rows:
    """Joint speeds or accelerations of every state in JSON. Args: key: "qd" or "qdd"."""
    rows = zip(found.value, found.residual, found.rank, found.solved, strict=True)
    return Rows(
        rows=(
            {key: value, "residual": residual, "rank": rank, "solved": solved}
            for value, residual, rank, solved in rows
        ),
        facts=tip_document(mechanism),
    )


def rate_table(
    key: str, found: JointRates, joints: tuple[str, ...]
) -> tuple[list[str], list[list[float]]]:
    """Headers and rows of joint rates. Args: joints: headers of the joints' rates."""
    return state_table(_rates(key, found, joints))


def rate_lines(key: str, found: JointRates, joints: tuple[str, ...]) -> Iterator[str]:
    """Joint rates for a terminal."""
    yield from state_lines(_rates(key, found, joints))


def rate_failure(found: JointRates, lines: Sequence[int]) -> str:
    """How many motions cannot be made, and what the first one lacks; empty where all can."""
    if np.all(found.solved):
        return ""
    first = int(np.argmin(found.solved))
    return (
        f"R203 error: {int(np.sum(~found.solved))} of {len(found.solved)} motions cannot be made, "
        f"first in line {lines[first]}: {found.missing[first]:.3g} is missing, rank "
        f"{found.rank[first]} of {found.full_rank}."
    )


def _rates(key: str, found: JointRates, joints: tuple[str, ...]) -> tuple[StateQuantity, ...]:
    rank = found.rank[:, None].astype(float)
    return (
        StateQuantity(key=key, values=found.value, headers=joints),
        StateQuantity(key="residual", values=found.missing[:, None], headers=("residual",)),
        StateQuantity(key="rank", values=rank, headers=("rank",)),
    )
