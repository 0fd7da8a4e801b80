"""The verdict in words: what was not checked, what clearances are measured to, programmes.

Facts stay typed until here; console, page, paper, workbook and batch take their texts from this
module.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING

from planner.findings.finding import Aspect
from planner.findings.unchecked import Surrounding, Unchecked
from planner.plan import Plan
from robots.core.self_pairs import PairReason

if TYPE_CHECKING:
    from planner.touch.summary import TouchSummary
    from reports.provenance import SetOptions

_NAMED = 4  # joints or points that a sentence names

_MEANING = {
    Aspect.PART_GEOMETRY: (
        "the job gives no geometry of the part: a collision with it would not be seen",
        "give geometry in [part]",
    ),
    Aspect.LINK_SHAPES: (
        "the robot's file gives them no shape: a collision of theirs would not be seen",
        "add [[joint.capsule]] tables to the robot file",
    ),
    Aspect.STYLUS_SHAPE: (
        "stylus or ball have no size: they take no room",
        "give stylus_length_mm and ball_diameter_mm in [probe]",
    ),
    Aspect.PART_POSE: (
        "the job does not say where the part stands: its frame is taken for the robot's base",
        "give pose in [part]",
    ),
    Aspect.MASSES: (
        "the robot's file gives none: torques, power and energy leave them out",
        "add [joint.body] tables with masses to the robot file",
    ),
    Aspect.DYNAMICS: (
        "the robot's file gives no masses: no drive is checked against what it can bear",
        "give [joint.body] tables with masses in the robot file",
    ),
    Aspect.ACCELERATION_LIMITS: (
        "the robot's file gives none: the job's default stands for what the drives can do",
        "give the drives' own under limits in [robot]",
    ),
    Aspect.ACCELERATIONS: (
        "the linear law jumps to its speed: the load of the jumps on the drives is not counted",
        "choose another law in [approach] and [travel]",
    ),
    Aspect.TORQUE_LIMITS: (
        "neither robot nor job limits them: torques are reported, not limited",
        "give torque_limits_nm in [checks], or max_torque_nm in the robot file",
    ),
}
_UNWATCHED = {
    PairReason.COMMON_POINT: (
        "those that turn about one point are not watched by default; name them in self_collision "
        "of the robot file, with capsules that touch only where the links do"
    ),
    PairReason.ALWAYS_TOUCHING: (
        "capsules that overlap in every posture tell nothing; give these links closer "
        "[[joint.capsule]] tables in the robot file"
    ),
    PairReason.NOT_NAMED: (
        "those that self_collision of the robot file leaves out can be added there"
    ),
}
_SURROUNDINGS = {
    Surrounding.PART: "the part",
    Surrounding.OBSTACLES: "the obstacles",
    Surrounding.ITSELF: "the robot itself",
}


def aspect_names(unchecked: Sequence[Unchecked]) -> list[str]:
    """What was not checked, as it stands in documents."""
    return [one.aspect.value for one in unchecked]


def aspect_text(one: Unchecked) -> str:
    """An aspect with the joints that it is not known of: ``link shapes (base, q4)``."""
    return f"{one.aspect.value} ({listed(one.of)})" if one.of else one.aspect.value


def not_checked(unchecked: Sequence[Unchecked]) -> str:
    """The phrase of a verdict; empty where everything was checked."""
    return f"not checked: {', '.join(map(aspect_text, unchecked))}" if unchecked else ""


def meaning(one: Unchecked) -> str:
    """What it means that an aspect was not checked, and what would change it."""
    if one.aspect is Aspect.SELF_CONTACT:
        of_links = [_UNWATCHED[reason] for reason in one.reasons]
        return "; ".join(["no check watches these links against each other", *of_links])
    what, fix = _MEANING[one.aspect]
    return f"{what}; {fix}"


def clearance_scope(plan: Plan) -> str:
    """What the clearances of a plan are distances to."""
    there = plan.surroundings
    if not there:
        return "nothing to keep clear of is given"
    if there == (Surrounding.ITSELF,):
        return "self-clearance only"
    names = [_SURROUNDINGS[one] for one in there]
    return "to " + " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)


def measured_to(plan: Plan) -> str:
    """What the clearances of a plan are distances to, and what they leave out."""
    there = plan.surroundings
    if not there:
        return clearance_scope(plan)
    bare = [one for one in plan.unchecked if one.aspect is Aspect.LINK_SHAPES]
    missing = [
        *(["part geometry not given"] if Surrounding.PART not in there else []),
        *(["no obstacles given"] if Surrounding.OBSTACLES not in there else []),
        *("of the probe only" if not one.of else f"without {aspect_text(one)}" for one in bare),
    ]
    return ", ".join([clearance_scope(plan), *missing])


def clearance_proven(plan: Plan) -> bool:
    """Return whether the least clearance holds for everything that a reader would expect it to."""
    return not any(one.aspect.clearance for one in plan.unchecked)


def withheld(plan: Plan, options: SetOptions) -> str:
    """Why no programme of a plan may be written; empty where one may.

    Args:
        plan: with or without motion.
        options: whether a programme may leave out points, and what else speaks against one.
    """
    if not plan.timeline or plan.trajectory.duration <= 0.0:
        return "no point is reached, so there is no motion"
    if not plan.motion_proven:
        return f"the motion is not proven{_first_error(plan)}; correct the job first"
    if options.withheld:
        return options.withheld
    if plan.left_out and not options.partial:
        return (
            f"{points_left_out(plan)} cannot be measured; --partial writes programmes of the others"
        )
    return ""


def points_left_out(plan: Plan) -> str:
    """How many points no motion touches, and their first names."""
    names = plan.left_out
    return f"{len(names)} of {len(plan.planned_points)} points ({listed(names)})"


def listed(names: Sequence[str]) -> str:
    """Some names, the others counted."""
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _first_error(plan: Plan) -> str:
    errors = plan.motion_errors
    if not errors:
        return " to keep its clearance"
    more = f" and {len(errors) - 1} more" if len(errors) > 1 else ""
    return f" ({errors[0].code} at {errors[0].where}{more})"


def touch_sentence(touch: TouchSummary) -> str:
    """How the ball touches the part, in millimetres."""
    if touch.mode == "to-rest":
        return "the ball comes to rest at the nominal surface; nothing is searched"
    if not touch.speed:
        return "no point is touched"
    gives = f" (the stylus gives {1e3 * touch.overtravel:.3g} mm)"
    return (
        f"{1e3 * touch.speed:.4g} mm/s from {1e3 * touch.search_before:.3g} mm before to "
        f"{1e3 * touch.search_after:.3g} mm past the nominal surface; overrun after the trigger "
        f"at most {1e3 * touch.overrun:.3g} mm{gives if isfinite(touch.overtravel) else ''}; "
        "a search without trigger stops, retracts and reports"
    )
