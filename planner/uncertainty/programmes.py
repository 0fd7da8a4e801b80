"""One touch, and a part that stands elsewhere, as programmes: a draw is one sample of a kernel."""

from __future__ import annotations

from typing import Any

from planner.uncertainty.inputs import Inputs
from robots.core.equations.algebra import Vec3, add, cross, dot, scale
from robots.core.geometric_errors import tip_of
from robots.core.mechanism import Mechanism
from robots.core.recording import Programme, Recorder, recording_functions

_NOTHING = 1e-300  # a square of an angle, so that sin(a)/a is 1 where nothing turns


def record_touch(mechanism: Mechanism, inputs: Inputs) -> Programme:
    """Where a touch is believed to be less where the ball was.

    Args:
        mechanism: the arm.
        inputs: which of them are there; not how large they are.

    Returns:
        touch(q (n,), believed (3,), normal (3,), errors (P,), own (w,), steps (s,)) -> (3,) [m]:
        the errors in their units, arguments without numbers left out.
    """
    recorder = Recorder()

    def argument(name: str, size: int) -> list[Any]:
        return recorder.argument(name, (size,)) if size else []

    q = argument("q", mechanism.dof)
    believed, normal = argument("believed", 3), argument("normal", 3)
    errors = argument("errors", len(inputs.parameters))
    own, steps = argument("own", inputs.own), argument("steps", len(inputs.stepped))
    count = len(inputs.reading)
    readings, touched = own[:count], own[count:]
    for joint, error in zip((*inputs.reading, *inputs.stepped), (*readings, *steps), strict=True):
        q[joint] = q[joint] + error
    ball = tip_of(mechanism, inputs.parameters, q, errors).origin
    outputs = []
    for axis in range(3):
        probe = touched[axis] if inputs.probe > 0.0 else 0.0
        along = touched[-1] * normal[axis] if inputs.probe_normal > 0.0 else 0.0
        outputs.append(believed[axis] - ball[axis] + probe + along)
    return recorder.programme("touch", outputs, (3,))


def record_displacement() -> Programme:
    """How far a turn, a shift and a growth move the end of an arm.

    The rotation less the identity is sin(a)/a·K + (1 - cos a)/a²·K² with K = skew(turn), the second
    factor as half the square of sin(a/2)/(a/2): nothing cancels for small turns.

    Returns:
        displacement(shift (3,), turn (3,), growth (1,), arm (3,)) -> (3,); turns of any size, the
        grown arm added as it lay before. [m, rad, 1, m]
    """
    recorder = Recorder()
    shift, turn = _vector(recorder, "shift"), _vector(recorder, "turn")
    (growth,) = recorder.argument("growth", (1,))
    arm = _vector(recorder, "arm")
    fn = recording_functions()
    angle = fn.sqrt(dot(turn, turn) + _NOTHING)
    half = 0.5 * angle
    s, c = fn.sin(angle) / angle, fn.sin(half) / half
    across = cross(turn, arm)
    moved = add(scale(s, across), scale(0.5 * c * c, cross(turn, across)))
    return recorder.programme("displacement", add(add(shift, moved), scale(growth, arm)), (3,))


def _vector(recorder: Recorder, name: str) -> Vec3:
    x, y, z = recorder.argument(name, (3,))
    return x, y, z
