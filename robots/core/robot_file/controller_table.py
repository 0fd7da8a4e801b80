"""``[controller]`` of robot files and job files → ``Controller``, and an example of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from robots.core.arrays import Array
from robots.core.controller import Controller, CoupledAxis
from robots.core.errors import PalpeurError
from robots.core.file_units import (
    degrees_text,
    metres,
    millimetres_text,
    radians,
)
from robots.core.schema_problems import KeyPath, nearest

if TYPE_CHECKING:
    from robots.core.mechanism import Joint, Mechanism
    from robots.core.robot_file.schema import ControllerTable

_KEY = "controller"
PROBE_INPUT = "yours: the digital input that is true while the probe is deflected"
_CARTESIAN_AXES = 6  # from which on controllers solve straight lines
_Fault = Callable[[KeyPath, str], PalpeurError]


def controller_of(table: ControllerTable, joints: Sequence[Joint], fault: _Fault) -> Controller:
    """Read ``[controller]``.

    Args:
        table: of the file.
        joints: movable ones of the robot.
        fault: the file's error for a key and a sentence.

    Raises:
        PalpeurError: of ``fault``: axes that are not the robot's joints, each once; a list of
            another length; a home beyond the limits; axes that cannot be coupled.
    """
    names = [joint.name for joint in joints]
    _check_axes(table, names, fault)
    order = [names.index(name) for name in table.axes]
    if table.signs and len(table.signs) != len(order):
        raise fault(
            (_KEY, "signs"), f"has {len(table.signs)} entries; expected {len(order)}, one per axis."
        )
    turns = [joints[k].kind.angular for k in order]
    offsets = _values(table, "offsets", turns, fault)
    home = None
    if table.home_deg or table.home_mm:
        home = np.empty(len(order))
        home[order] = _values(table, "home", turns, fault)
        _check_home(home, joints, fault)
    return Controller(
        axes=tuple(table.axes),
        order=np.array(order, dtype=np.int64),
        signs=np.array(table.signs or [1] * len(order), dtype=np.float64),
        offsets=offsets,
        home=home,
        tool_number=table.tool_number,
        base_number=table.base_number,
        probe_input=table.probe_input,
        speed_override_percent=float(table.speed_override_percent),
        start_tolerance=radians(table.start_tolerance_deg),
        start_tolerance_sliding=metres(table.start_tolerance_mm),
        cartesian=(len(order) >= _CARTESIAN_AXES if table.cartesian is None else table.cartesian),
        coupled=_coupled(table, turns, fault),
    )


def _coupled(
    table: ControllerTable, turns: Sequence[bool], fault: _Fault
) -> tuple[CoupledAxis, ...]:
    """Axes in whose value another one stands: both turn, or both slide; none of them twice."""
    coupled = [one.axis for one in table.coupled]
    for place, one in enumerate(table.coupled):
        path = (_KEY, "coupled", place)
        for key, axis in (("axis", one.axis), ("of", one.of)):
            if not 1 <= axis <= len(turns):
                raise fault((*path, key), f"is {axis}; expected an axis from 1 to {len(turns)}.")
        if one.of in coupled or coupled.count(one.axis) > 1:
            raise fault(path, "couples an axis that is coupled already; give each axis once.")
        if turns[one.axis - 1] is not turns[one.of - 1]:
            raise fault(path, "couples an axis that turns with one that slides.")
    return tuple(
        CoupledAxis(axis=one.axis, of=one.of, factor=float(one.factor)) for one in table.coupled
    )


def _check_axes(table: ControllerTable, names: list[str], fault: _Fault) -> None:
    path = (_KEY, "axes")
    for name in table.axes:
        if name not in names:
            raise fault(path, f"names {name!r}, which is no movable joint; {nearest(name, names)}")
        if table.axes.count(name) > 1:
            raise fault(path, f"names {name!r} twice; each joint stands in one axis.")
    missing = [name for name in names if name not in table.axes]
    if missing:
        raise fault(
            path, f"leaves out {', '.join(missing)}; name every movable joint, axis by axis."
        )


def _values(table: ControllerTable, key: str, turns: Sequence[bool], fault: _Fault) -> Array:
    """Values of the axes from the list in degrees and that in millimetres. # (n,) [rad or m]."""
    found = np.zeros(len(turns))
    for unit, kind, to_si in (("deg", True, radians), ("mm", False, metres)):
        given: tuple[Decimal, ...] = getattr(table, f"{key}_{unit}")
        places = [place for place, turning in enumerate(turns) if turning is kind]
        if not given and (key == "offsets" or not places):
            continue
        if len(given) != len(places):
            what = "turns" if kind else "slides"
            raise fault(
                (_KEY, f"{key}_{unit}"),
                f"has {len(given)} entries; expected {len(places)}, one per axis that {what}, in "
                "the order of axes.",
            )
        found[places] = [to_si(value) for value in given]
    return found


def _check_home(home: Array, joints: Sequence[Joint], fault: _Fault) -> None:
    for value, joint in zip(home.tolist(), joints, strict=True):
        if not joint.q_min <= value <= joint.q_max:
            unit, written = (
                ("deg", degrees_text) if joint.kind.angular else ("mm", millimetres_text)
            )
            raise fault(
                (_KEY, f"home_{unit}"),
                f"has {joint.name} at {written(value)}, outside its limits "
                f"{written(joint.q_min)} to {written(joint.q_max)} {unit}.",
            )


def controller_example(mechanism: Mechanism) -> str:
    """Text of a ``[controller]`` table for a robot's joints, to be corrected by its user."""
    joints = mechanism.movable
    names = ", ".join(f'"{joint.name}"' for joint in joints)
    lines = [
        "[controller]",
        f"axes = [{names}]  # the joint in each axis of the controller",
        f"signs = [{', '.join(['1'] * len(joints))}]  # axis = sign * joint + offset",
    ]
    for unit, kind in (("deg", True), ("mm", False)):
        count = sum(joint.kind.angular is kind for joint in joints)
        if count:
            lines.append(f"offsets_{unit} = [{', '.join(['0'] * count)}]")
    lines += ["tool_number = 1", "base_number = 0", f"probe_input = 1  # {PROBE_INPUT}"]
    return "\n".join(lines)
