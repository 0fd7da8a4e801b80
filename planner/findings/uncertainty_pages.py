"""Pages of the findings about measuring uncertainty (P15x)."""

from __future__ import annotations

from planner.findings.pages import Page

UNCERTAINTY_PAGES = (
    Page(
        code="P150",
        title="another branch measures better",
        meaning="The arm can serve the point in another branch in which, by the [uncertainty] of "
        "the job, the standard deviation along the point's normal is at least a tenth smaller.",
        cause="The plan chooses its branches by time and by margins, not by uncertainty: errors of "
        "readings and of the arm's geometry act on longer levers in one branch than in another.",
        fix="Nothing where the uncertainty suffices. Otherwise narrow the limits of the joint that "
        "tells the branches apart, or move the part.",
    ),
)
