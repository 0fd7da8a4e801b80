"""Pages of the findings about states, inverse models and dynamics (R2xx)."""

from __future__ import annotations

from planner.findings.pages import Page

MODEL_PAGES = (
    Page(
        code="R201",
        title="no configuration reaches the pose",
        meaning="No start of the numerical inverse model converged: the residual of the best one "
        "stays above the tolerance. It is not listed as a solution.",
        cause="The pose lies outside the workspace, the direction cannot be taken there, or the "
        "robot has too few joints for a full pose.",
        fix="Compare with `palpeur robot workspace`. A robot with five joints needs position and "
        "axis (x_m … nz), not a full pose. More starts (--starts) help near the boundary.",
    ),
    Page(
        code="R202",
        title="reached only outside the joint limits",
        meaning="Configurations reach the pose, but every one that was found violates a limit.",
        cause="The pose is at the edge of the workspace, or a limit in the robot file is too "
        "tight.",
        fix="Move the part, or correct the limit. More starts (--starts) may find another branch.",
    ),
    Page(
        code="R203",
        title="motion not possible here",
        meaning="The asked velocity or acceleration of the tool cannot be made at this posture; "
        "the residual says how much is missing.",
        cause="The posture is singular, or the robot has fewer than six joints and the rate asks "
        "for a direction it does not have.",
        fix="See `palpeur robot singularities`. Give a rate that the robot can make, or another "
        "posture.",
    ),
    Page(
        code="R204",
        title="accelerations not defined",
        meaning="The mass matrix is singular at this state, so torques do not determine the "
        "accelerations.",
        cause="Bodies without inertia about their joint axis; see R105.",
        fix="Complete the robot file.",
    ),
    Page(
        code="R205",
        title="state outside the joint limits",
        meaning="The model was evaluated as asked, but the joint values violate the robot's "
        "limits.",
        cause="A wrong unit (degrees in a column of radians), or values from another robot.",
        fix="Check the unit in the column's name, then the limits with `palpeur robot show`.",
    ),
    Page(
        code="R206",
        title="columns taken as zero",
        meaning="Optional columns are not in the states file; zeros were used.",
        cause="Only positions are given.",
        fix="Nothing, where rest is meant. Otherwise add the columns of speeds and accelerations.",
    ),
)
