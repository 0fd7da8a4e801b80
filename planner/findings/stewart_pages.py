"""Pages of the findings about motions of a Stewart-Gough platform (S2xx)."""

from __future__ import annotations

from planner.findings.pages import Page

STEWART_PAGES = (
    Page(
        code="S201",
        title="leg too short",
        meaning="During the motion a leg becomes shorter than its stroke allows. The message names "
        "the leg, by how much it is too short at the worst, and when.",
        cause="The platform comes too low, tilts too far, or goes too far towards the leg's base "
        "point; or the prescribed motion was never checked against the stroke.",
        fix="Raise the home pose or the whole motion by the amount stated, or tilt less.",
    ),
    Page(
        code="S202",
        title="leg too long",
        meaning="During the motion a leg becomes longer than its stroke allows; the message says "
        "which, by how much and when.",
        cause="The platform rises too high, or goes too far from the leg's base point.",
        fix="Lower the motion by the amount stated, tilt less, or take a leg with a longer stroke.",
    ),
    Page(
        code="S203",
        title="joint cone passed",
        meaning="A leg leaves the cone in which its joint at base or platform may swing.",
        cause="A far shift or a strong tilt of the platform.",
        fix="Keep nearer to the middle of the cone, or turn the joint's seat towards the motion.",
    ),
    Page(
        code="S204",
        title="legs touch",
        meaning="Two legs come nearer to each other than their radii allow, or a leg passes the "
        "plate that carries its joints.",
        cause="A large turn about the platform's axis winds the legs round each other.",
        fix="Turn less, or go by another orientation.",
    ),
    Page(
        code="S205",
        title="joint of a leg locks (type 1 singularity)",
        meaning="A leg comes to lie along an axis of its own joint, which then cannot follow the "
        "platform in one direction.",
        cause="The leg swings far from where its universal joint was laid out.",
        fix="Turn the joint's first axis away from that direction, or keep away from the pose.",
    ),
    Page(
        code="S206",
        title="platform no longer held (type 2 singularity)",
        meaning="The motion reaches a pose where the six leg directions are dependent: the "
        "platform can move though all drives stand, and the forces grow without bound.",
        cause="A turn of about 90 degrees about the vertical, or a platform low over its base.",
        fix="Keep on the side of the singularity where the home pose lies: turn less, or go round.",
    ),
    Page(
        code="S207",
        title="badly conditioned pose",
        meaning="The condition number of the scaled Jacobian exceeds the limit that was asked for, "
        "so that small errors of a leg become large errors of the pose.",
        cause="A pose near a singularity.",
        fix="Keep nearer to home, or accept a larger condition number.",
    ),
    Page(
        code="S208",
        title="leg too fast",
        meaning="A leg's stroke is faster than its drive allows; the message gives speed and time.",
        cause="The duration is too short for the way.",
        fix="Leave out --duration: the least time that every leg allows is taken then.",
    ),
    Page(
        code="S209",
        title="leg accelerates too hard",
        meaning="A leg's acceleration exceeds the limit of its drive.",
        cause="The duration is too short, or the law begins or ends with a jump.",
        fix="Leave out --duration, or take the quintic law, which begins and ends at rest.",
    ),
    Page(
        code="S210",
        title="leg force exceeds its drive",
        meaning="The force that a motion, or a pose of a table, asks of a leg, gravity and "
        "inertia included, is more than its drive gives.",
        cause="Too quick, too heavy, or a pose where one leg carries most of the load.",
        fix="Give the motion more time; where gravity alone asks for it, choose another pose.",
    ),
    Page(
        code="S211",
        title="limit not proven between samples",
        meaning="A limit holds wherever the motion was looked at, but so closely that it could not "
        "be proven for every instant between.",
        cause="The motion runs along the limit, or touches it.",
        fix="Keep a little away from the limit named.",
    ),
)
