"""Postures and tilts of a biped as users give them: on the command line, or in a table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from planner.cli.moves.motion_values import listed_numbers
from planner.errors import OptionError
from planner.tables import States, read_states
from robots.biped.biped import Biped
from robots.biped.errors import PostureError
from robots.biped.posture.ground import Ground
from robots.core.arrays import Array
from robots.core.inverse.limits import limit_breaches
from robots.core.mechanism import Mechanism
from robots.core.transmission.driven_posture import DrivenState
from robots.core.transmission.drives import Drives


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PostureInput:
    """Postures and where each came from.

    Args:
        q: # (k, n) [rad]
        where: of each, for messages; empty for a posture of the command line. # k
        table: that they were read from, if any.
    """

    q: Array
    where: tuple[str, ...]
    table: States | None = None

    def or_zero(self, group: str) -> Array:
        """Rates of the table; zero where it has none. # (k, n)."""
        return np.zeros_like(self.q) if self.table is None else self.table.or_zero(group)


def postures_of(biped: Biped, *, posture: str, states: str) -> PostureInput:
    """Postures of ``--posture`` or ``--states``; the robot's standing posture without both.

    Args:
        biped: the robot.
        posture: angles of all joints in degrees, separated by commas; or name=angle for some, the
            others as the robot stands.
        states: path of a table with columns q; "-" reads standard input.

    Raises:
        OptionError: both, or a posture that does not fit the robot.
        StatesError: a table that cannot be read.
    """
    if posture and states:
        raise OptionError("--posture and --states exclude each other; give one.")
    if states:
        return table_of(biped, states, "the posture")
    return PostureInput(q=_posture(biped, posture)[None], where=("",))


def table_of(biped: Biped, states: str, purpose: str) -> PostureInput:
    """Postures of a table.

    Raises:
        StatesError: a table that cannot be read, or one without postures.
    """
    table = read_states(states, biped.mechanism)
    q = table.require("q", purpose)
    where = tuple(f"{table.origin}, line {line}" for line in table.lines)
    return PostureInput(q=q, where=where, table=table)


def driven_states(
    mechanism: Mechanism, drives: Drives, *, posture: str, states: str
) -> list[DrivenState]:
    """Joint states of ``--posture`` or ``--states``, in the drives' order; zero without both.

    Raises:
        OptionError: both, or a posture of another number of joints.
        StatesError: a table that cannot be read.
    """
    names = [joint.name for joint in mechanism.movable]
    order = [names.index(name) for name in drives.joints]
    if posture and states:
        raise OptionError("--posture and --states exclude each other; give one.")
    if states:
        return _of_table(read_states(states, mechanism), order)
    q = np.radians(listed_numbers(posture, "--posture")) if posture else np.zeros(mechanism.dof)
    if q.size != mechanism.dof:
        raise OptionError(
            f"--posture has {q.size} values; {mechanism.name} has {mechanism.dof} joints: "
            f"{', '.join(names)}. "
            "Give one angle in degrees for each.",
            option="--posture",
            found=int(q.size),
            expected=mechanism.dof,
        )
    return [DrivenState(where="", q=q[order])]


def _of_table(table: States, order: list[int]) -> list[DrivenState]:
    q = table.require("q", "the transmission")[:, order]
    qd, tau = table.groups.get("qd"), table.groups.get("tau")
    return [
        DrivenState(
            where=f"{table.origin}, line {line}",
            q=q[k],
            qd=None if qd is None else qd[k, order],
            tau=None if tau is None else tau[k, order],
        )
        for k, line in enumerate(table.lines)
    ]


@contextmanager
def limits_told_first(biped: Biped, given: PostureInput) -> Iterator[None]:
    """A posture that cannot be stood in as it is beyond a joint's limit is told by that joint.

    Postures beyond a limit that can be stood in are answered, with a note.

    Raises:
        BipedError: what was raised, or a posture beyond a limit: file, line, joint.
    """
    try:
        yield
    except PostureError as error:
        row = error.fact("posture", int)
        if row is None:
            raise
        told = limit_breaches(biped.mechanism, given.q[row])
        if told:
            where = given.where[row] or "--posture"
            message = (
                f"{where}: {told}; the robot cannot stand so. Give a posture within the limits."
            )
            raise PostureError(message, **error.facts) from error
        where = f"{given.where[row]}: " if given.where[row] else ""
        raise PostureError(where + error.message, **error.facts) from error


def ground_of(tilt: str) -> Ground:
    """The ground of ``--tilt α,β`` in degrees; level without it.

    Raises:
        OptionError: not two numbers.
        BipedError: a tilt too steep to be a ground.
    """
    if not tilt:
        return Ground()
    angles = listed_numbers(tilt, "--tilt")
    if angles.size != 2:
        raise OptionError(
            f"--tilt has {angles.size} values; give roll and pitch of the ground in degrees, "
            "as in 10,20.",
            option="--tilt",
            found=int(angles.size),
        )
    alpha, beta = np.radians(angles).tolist()
    return Ground(alpha=alpha, beta=beta)


def _posture(biped: Biped, text: str) -> Array:
    standing = np.array(biped.q_standing, dtype=np.float64)
    if not text:
        return standing
    if "=" in text:
        return _named(biped.mechanism, text, standing)
    angles = np.radians(listed_numbers(text, "--posture"))
    if angles.size != standing.size:
        raise OptionError(
            f"--posture has {angles.size} values; {biped.name} has {standing.size} joints: "
            f"{_names(biped.mechanism)}. Give one angle in degrees for each, or some by name, "
            f"as in {biped.mechanism.movable[0].name}=5.",
            option="--posture",
            found=int(angles.size),
            expected=int(standing.size),
        )
    return angles


def _named(mechanism: Mechanism, text: str, standing: Array) -> Array:
    """Joints given by name; the others stay."""
    places = {joint.name: place for place, joint in enumerate(mechanism.movable)}
    given: set[str] = set()
    for part in text.split(","):
        name, _, value = (item.strip() for item in part.partition("="))
        if name not in places or name in given:
            wrong = "twice" if name in given else f"but {mechanism.name} has no such joint"
            raise OptionError(
                f"--posture names {name!r} {wrong}; its joints are {_names(mechanism)}.",
                option="--posture",
                found=name,
            )
        given.add(name)
        angle = listed_numbers(value, f"--posture, {name}")
        standing[places[name]] = np.radians(float(angle[0]))
    return standing


def _names(mechanism: Mechanism) -> str:
    return ", ".join(joint.name for joint in mechanism.movable)
