"""Pages of the findings about travel around obstacles (P137, P138)."""

from __future__ import annotations

from planner.findings.pages import Page

DETOUR_PAGES = (
    Page(
        code="P137",
        title="no collision-free travel found",
        meaning="The straight joint motion between two clearance points comes too near to "
        "something, and no way around was found. The message names what is in the way, how deep "
        "and where, and how many motions were looked at. A search at random that finds nothing "
        "does not prove that there is nothing.",
        cause="A clearance point in a pocket or behind an obstacle, too much clearance asked for, "
        "or a clearance plane or cube that does not lead past the obstacle.",
        fix='Raise the clearance plane or enlarge the cube, allow any way (detour = "auto"), lower '
        "clearance_mm, or change the order so that these two points do not follow each other.",
    ),
    Page(
        code="P138",
        title="travel goes around",
        meaning="The straight joint motion between two clearance points does not keep its "
        "clearance. The travel goes another way, proven like every motion; the message says by "
        "which way and how much longer it takes.",
        cause="An obstacle, the part or the robot itself between two clearance points.",
        fix="Nothing. Where time matters, let the order avoid it, or lower the clearance plane.",
    ),
)
