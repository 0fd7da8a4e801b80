"""Pages of the findings about clearance (P13x)."""

from __future__ import annotations

from planner.findings.pages import Page

CLEARANCE_PAGES = (
    Page(
        code="P130",
        title="travel not clear",
        meaning="On the way from one clearance point to the next something comes nearer than the "
        "job's clearance_mm, or collides. The message names the pair, how near they come, where "
        "on the way (0 % at the start) and where in the base frame. Between samples nothing is "
        "missed: every travel is certified as a whole. A depth of penetration is estimated, never "
        "too large.",
        cause="The direct joint motion cuts through the part, a fixture or a keep-out volume, and "
        "no way around it was found or looked for.",
        fix="Give the travel room: a clearance plane above the solid named, a larger approach "
        "distance, another visiting order; or move the obstacle. A smaller clearance_mm helps "
        "where the pair does not touch.",
    ),
    Page(
        code="P131",
        title="probing line not clear",
        meaning="On the straight line to the point, or on the search beyond it, a link or the "
        "stylus comes too near to something that it may not touch. The position is counted in "
        "millimetres before contact along the line. The ball may touch the probed patch only: the "
        "surface around the point as far as it goes on smoothly (edges up to 40 degrees), not what "
        "it has across. A shank beside that surface may be near it and near what is behind it.",
        cause="A wall, a fixture or a deep hole beside the point; a stylus that is too short for "
        "the hand to stay clear, or too thick for the gap.",
        fix="A longer or thinner stylus, a smaller ball, another approach direction, or another "
        "branch or pose of the part that brings the links away; in a bore a stylus that stands "
        "upright: axis in [[approach.feature]]. The hint says how much is missing.",
    ),
    Page(
        code="P132",
        title="clearance point not clear",
        meaning="With the ball at the point's clearance point the robot already comes too near to "
        "something, so that neither its travel nor its line can be clear.",
        cause="An approach distance that ends beyond the free room, such as in the opposite wall "
        "of a hole, or a posture with a link in the part or a fixture.",
        fix="Change distance_mm or the direction of [approach], so that the point lies in free "
        "room, or let the part stand elsewhere.",
    ),
    Page(
        code="P133",
        title="robot too near to itself",
        meaning="Two links, or the probe and a link, that the robot's file says must not touch "
        "come nearer to each other than the job's clearance_mm.",
        cause="A folded posture, or capsules in the robot file that are thicker than the links.",
        fix="Move the part away from the base so that the arm stretches, or correct the capsules "
        "(`palpeur robot show`).",
    ),
    Page(
        code="P134",
        title="solid is not closed",
        meaning="The skin of the part or of an obstacle has holes, so it has no inside. Distances "
        "to its surface are exact, but a link that is swallowed whole would not be seen.",
        cause="A surface model, or an export that lost faces.",
        fix="Export a closed solid. Where the skin is meant (a sheet), make sure that the robot "
        "starts outside: no motion gets in without crossing it, and crossings are found.",
    ),
    Page(
        code="P135",
        title="certified clearance",
        meaning="No motion of the plan comes nearer to anything than the clearance stated, proven "
        "for all instants, not only for samples. The true least clearance is at most the tolerance "
        "stated above it. On probing lines the probed surface does not count; there the stylus is "
        "measured against the part only where it comes nearer to it than the patch is wide.",
        cause="The job names a part with geometry, or obstacles, and the robot has capsules.",
        fix="Nothing. The motion named is the one to look at when more clearance is wanted.",
    ),
    Page(
        code="P136",
        title="links not checked",
        meaning="The robot's file gives no capsules for some or all of its links, so these were "
        "not kept clear of the cell, nor of each other. The verdict names them as not checked.",
        cause="A robot file without capsules, or with capsules of some links only.",
        fix="Add [[joint.capsule]] tables to the robot file: two ends and a radius for each link.",
    ),
)
