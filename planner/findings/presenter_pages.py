"""Pages of the findings about a part on a presenter (P140 to P142)."""

from __future__ import annotations

from planner.findings.pages import Page

PRESENTER_PAGES = (
    Page(
        code="P140",
        title="no pose of the presenter serves the point",
        meaning="Among the poses of the platform that were tried, within its strokes, joint cones "
        "and clearances, none was planned in which the point is served. The message repeats why it "
        "fails with the platform at home. A search that finds nothing proves nothing.",
        cause="The hexapod stands too far away or is turned badly, its strokes are short, or more "
        "poses would be needed than most_poses allows.",
        fix="Move or turn the hexapod or the part on it, raise most_poses, or try another seed.",
    ),
    Page(
        code="P141",
        title="the platform cannot move between two poses",
        meaning="Neither the straight move between the two poses nor the one by way of home keeps "
        "every limit of the platform, or a drive is too weak to hold it on the way. The message "
        "names leg, limit, amount and time.",
        cause="Poses at opposite ends of the workspace; a part that is too heavy.",
        fix="Allow more poses, or another seed; for forces give a lighter part or stronger drives.",
    ),
    Page(
        code="P142",
        title="the arm has nowhere to wait",
        meaning="While the platform moves the arm rests. No posture was found that is proven clear "
        "of the part and of the hexapod during the whole move, and that the arm can go to and "
        "leave on straight joint motions that are proven clear.",
        cause="A clearance point that is too near to the part, or a cramped cell.",
        fix="Enlarge distance_mm of the approach, lower clearance_mm, or leave more room.",
    ),
)
