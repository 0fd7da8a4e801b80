"""Pages of the findings about measured points (E1xx)."""

from __future__ import annotations

from planner.findings.pages import Page

EVALUATION_PAGES = (
    Page(
        code="E101",
        title="point not measured",
        meaning="The job has the point, the measured file does not. Everything is evaluated "
        "without it.",
        cause="A probing that was left out or failed, or a name that was changed on the way.",
        fix="Measure it, or give it the job's name in the measured file.",
    ),
    Page(
        code="E102",
        title="measured point that the job does not have",
        meaning="A measured point has a name that no point of the job has. It is not used.",
        cause="Points of another job or revision, or a changed name.",
        fix="Add the point to the job, or rename it in the measured file.",
    ),
    Page(
        code="E103",
        title="out of tolerance",
        meaning="The characteristic exceeds its tolerance; where its uncertainty is known, by more "
        "than that (ISO 14253-1). The message names value, limit and the point that decides.",
        cause="The part, its clamping, or an alignment that does not fit the drawing's datums.",
        fix="Rework or reject the part; first look at the point that is named, and at alignment "
        "and ball compensation.",
    ),
    Page(
        code="E104",
        title="neither in nor out of tolerance",
        meaning="The value is nearer to its limit than its uncertainty, so neither conformance nor "
        "the contrary is proven (ISO 14253-1).",
        cause="An uncertainty that is large beside the tolerance.",
        fix="Measure more points, choose better branches, or a better probe; or agree on another "
        "rule of decision.",
    ),
    Page(
        code="E105",
        title="point that does not belong",
        meaning="The point lies farther from the feature that the other points agree on than noise "
        "explains: a clean set is listed once in twenty. It stays in the fit unless the job says "
        'outliers = "drop" in [evaluation]; then the message says that it was left out.',
        cause="Dirt, a burr, a false trigger, or a point on another face.",
        fix="Clean and measure again. Drop points only with a reason.",
    ),
    Page(
        code="E106",
        title="point inside the material",
        meaning="The point lies deeper below the nominal surface than a touch can come: more than "
        "the ball's diameter, the overtravel of the approach, and 1 mm.",
        cause="A wrong pose of the part, swapped names, the wrong unit or frame, or a normal that "
        "points into the material.",
        fix="Check [part] pose and frame, or align to the points in [evaluation].",
    ),
    Page(
        code="E107",
        title="deviations by the ball's radius",
        meaning="The deviations of all points sit at one or two radii of the ball, with little "
        "spread. The message says which mistake would do that.",
        cause="Ball compensation forgotten, applied twice, or to the wrong side.",
        fix="Correct compensated in [evaluation] or in the measured file, or the ball's diameter, "
        "or turn the normals round.",
    ),
    Page(
        code="E108",
        title="feature without a fit",
        meaning="The measured points of the feature do not hold it: too few, degenerate, or "
        "ambiguous. Its deviations are still evaluated.",
        cause="Points that were not measured, or a pattern that leaves the feature open.",
        fix="Measure more points, spread wider over the feature.",
    ),
    Page(
        code="E109",
        title="tolerance that cannot be evaluated",
        meaning="The tolerance does not suit the feature or its datum, or one of them was not "
        "measured or has no fit. The message says why.",
        cause="A roundness of a plane, a perpendicularity of features that are parallel, a feature "
        "with too few points.",
        fix="Correct the [[tolerance]], or measure the feature with enough points.",
    ),
    Page(
        code="E110",
        title="point touched at another one's place",
        meaning="The measured point is much nearer to another point of the job than to its own.",
        cause="Swapped names, or an order of points that differs from the job's.",
        fix="Check the names in the measured file.",
    ),
    Page(
        code="E111",
        title="points matched by their place in the feature",
        meaning="The measured file names features, not points, as QIF results do. The first point "
        "of a feature was taken for the job's first point of it, and so on.",
        cause="A QIF results file.",
        fix="Nothing, if the order of the points was kept.",
    ),
    Page(
        code="E112",
        title="joint reading beyond its limit",
        meaning="A reading lies outside the joint's range, so the arm cannot have stood so.",
        cause="Another robot's readings, swapped columns, degrees taken for radians, an offset.",
        fix="Check the columns and their units, or give the calibrated robot.",
    ),
    Page(
        code="E113",
        title="not taken from the measured file",
        meaning="The measured file holds a feature or a result that gives no measured points here; "
        "the message says which, and why. A warning where touches are lost, a note where there are "
        "none to lose, as in a construction.",
        cause="Results without their points, results of a second part, points of another state.",
        fix="Export the measured points with the results, those of each part into its own file.",
    ),
    Page(
        code="E114",
        title="how the measured file was read",
        meaning="Format, unit and state of the measured points, and what was done or passed over.",
        cause="A file that is not Palpeur's own, or leaves something to its format's rules.",
        fix="Nothing, if it is what the file means; otherwise give --format and --unit.",
    ),
    Page(
        code="E115",
        title="doubt about the measured points",
        meaning="The points can be used, but something about them is unusual: directions that are "
        "not of length 1, points that stand where another one does.",
        cause="A mistyped component, or a list that was put together from two.",
        fix="Check the points that the message names.",
    ),
    Page(
        code="E120",
        title="form that is not evaluated",
        meaning="The feature has just as many measured points as hold it, such as three of a "
        "plane. They fit it exactly whatever the part is like, so flatness, roundness and the "
        "like, and the residuals of the fit, say nothing and are not given.",
        cause="Too few points for a form.",
        fix="Measure more points; one more shows something, a form needs many.",
    ),
)
