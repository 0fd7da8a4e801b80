"""The arm's recorded programmes: branches of a target, postures and rates along probing lines."""

from __future__ import annotations

from robots.arm.branch_equations import FAMILIES, Reach, family_angles, reserve, target
from robots.arm.family import ArmFamily
from robots.arm.line_equations import HeldArm, HeldLine, line_rates, line_state
from robots.arm.task_solution import newton_step
from robots.core.equations.tree import tree_of
from robots.core.mechanism import Mechanism
from robots.core.recording import Node, Programme, Recorder, recording_functions, remembered

ANGLES = len(FAMILIES) * 5
LINE_NUMBERS = 17  # start, tangent, axis, signs, posture at the start


@remembered(lambda family, *, free=0: (repr(_reach(family)), free))
def branch_programme(family: ArmFamily, *, free: int = 0) -> Programme:
    """Wrist centre and stylus direction to eight families and the reserve of reach. # (41,).

    Args:
        family: the arm.
        free: how many of the first joints are arguments: 1 for points on the first joint's axis, 2
            for the shoulder itself.
    """
    recorder = Recorder()
    fn = recording_functions()
    center = _vector(recorder.argument("center", (3,)))
    axis = _vector(recorder.argument("axis", (3,)))
    given = recorder.argument("free", (free,)) if free else []
    reach = _reach(family)
    goal = target(center, axis, fn, given)
    angles = [
        fn.atan2(sine, cosine)
        for signs in FAMILIES
        for sine, cosine in family_angles(reach, goal, signs, fn)
    ]
    return recorder.programme("arm_branches", [*angles, reserve(reach, goal)], (ANGLES + 1,))


@remembered(lambda mechanism, family: repr(_held(mechanism, family)))
def line_programme(mechanism: Mechanism, family: ArmFamily) -> Programme:
    """A line (17 numbers) and λ to q, dq/dλ and d²q/dλ², for a straight stylus. # (15,)."""
    recorder = Recorder()
    numbers = recorder.argument("line", (LINE_NUMBERS,))
    lam = recorder.argument("lam", (1,))[0]
    start, tangent, axis, signs = (_vector(numbers[k : k + 3]) for k in range(0, 12, 3))
    arm = _held(mechanism, family)
    line = HeldLine(start=start, tangent=tangent, axis=axis, signs=signs, near=numbers[12:])
    outputs = line_state(arm, line, lam, recording_functions())
    return recorder.programme("line_state", outputs, (15,))


@remembered(lambda mechanism, *, bent: (repr(tree_of(mechanism)), bent))
def rates_programme(mechanism: Mechanism, *, bent: bool) -> Programme:
    """Joints and tangent to dq/dλ and d²q/dλ². # (10,)."""
    recorder = Recorder()
    q = recorder.argument("q", (5,))
    tangent = _vector(recorder.argument("tangent", (3,)))
    rates = line_rates(tree_of(mechanism), q, tangent, recording_functions(), bent=bent)
    return recorder.programme("line_rates", rates, (10,))


@remembered(lambda mechanism: repr(tree_of(mechanism)))
def newton_programme(mechanism: Mechanism) -> Programme:
    """Joints, ball and direction wanted to Newton's step and what is missing. # (7,)."""
    recorder = Recorder()
    q = recorder.argument("q", (5,))
    position = _vector(recorder.argument("position", (3,)))
    axis = _vector(recorder.argument("axis", (3,)))
    outputs = newton_step(tree_of(mechanism), q, (position, axis), recording_functions())
    return recorder.programme("newton_step", outputs, (7,))


def _vector(nodes: list[Node]) -> tuple[Node, Node, Node]:
    x, y, z = nodes
    return x, y, z


def _held(mechanism: Mechanism, family: ArmFamily) -> HeldArm:
    return HeldArm(
        tree=tree_of(mechanism),
        reach=_reach(family),
        stylus_length=family.stylus_length,
        offsets=[float(offset) for offset in family.offsets],
    )


def _reach(family: ArmFamily) -> Reach:
    cosine, sine = (float(x) for x in family.stylus_direction[:2])
    return Reach(
        shoulder_height=family.shoulder_height,
        upper_arm=family.upper_arm,
        forearm=family.forearm,
        stylus=(sine, cosine),
    )
