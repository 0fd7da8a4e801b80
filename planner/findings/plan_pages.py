"""Pages of the findings about plans (P1xx)."""

from __future__ import annotations

from planner.findings.pages import Page

PLAN_PAGES = (
    Page(
        code="P101",
        title="point out of reach",
        meaning="No posture puts the ball at the point, or at its clearance point, with the stylus "
        "along the normal. The message says by how much the wrist centre is out of reach.",
        cause="The part stands too far, or so near that the folded arm is still too long.",
        fix="Move the part by the amount stated, or use a longer or shorter stylus.",
    ),
    Page(
        code="P102",
        title="joint limit passed",
        meaning="Every family of postures passes a joint limit somewhere on the probing line, the "
        "job's joint_margin_deg included. The message names the family that comes nearest.",
        cause="The point lies at the edge of the joint ranges, or too much margin is asked for.",
        fix="Move or turn the part so that the joint named gains the angle stated, shorten the "
        "approach, or lower the margin.",
    ),
    Page(
        code="P103",
        title="singular posture on the line",
        meaning="The line passes a posture where the arm loses a direction: stretched, wrist "
        "centre on the first axis, or stylus along the forearm. Joint rates grow without bound.",
        cause="The normal happens to lie along the forearm, or the part is above the base.",
        fix="Shift or tilt the part, or approach from another direction.",
    ),
    Page(
        code="P104",
        title="approach from inside the material",
        meaning="The approach direction makes 90 degrees or more with the outgoing normal, so the "
        "probe would have to come through the part.",
        cause="A normal that points into the material, or a fixed approach direction that does not "
        "suit this face.",
        fix="Turn the normal around, or approach along the normal.",
    ),
    Page(
        code="P105",
        title="torque limit cannot be kept",
        meaning="No duration of a motion keeps the torques within their limits; slower does not "
        "help where gravity alone asks for more.",
        cause="A torque limit below what holds the arm still.",
        fix="Raise the limit if the drive allows it, or bring the part nearer to the base.",
    ),
    Page(
        code="P106",
        title="postures found by search",
        meaning="The robot is not of a family whose postures follow in closed form. They are "
        "searched for numerically from many starts, and what the robot can do beside its task is "
        "used to keep away from joint limits and singularities. Every posture in the plan is "
        "proven by forward geometry, but a branch, or a point at the very edge, may be missed.",
        cause="Any robot but the measuring arm: more joints, sliding joints, other proportions.",
        fix="Nothing. Where a point is refused that the robot ought to reach, another seed in "
        "[travel] starts the search elsewhere.",
    ),
    Page(
        code="P110",
        title="visiting order chosen",
        meaning="The job leaves the order of the points open. The message says how much time the "
        "planned order saves; the plan's points stay in the order of the job, its segments do not.",
        cause='order = "fastest" in [travel].',
        fix='Nothing, unless the order matters: order = "as-given" keeps it.',
    ),
    Page(
        code="P111",
        title="law with jumps of speed",
        meaning="A linear law reaches its speed at once and stops at once. The acceleration there "
        "is unbounded, and no peak, torque or energy of the plan contains it.",
        cause='law = "linear" in [approach] or [travel].',
        fix="Use it to compare with a source; for a machine take another law.",
    ),
    Page(
        code="P120",
        title="doubt about the part's geometry",
        meaning="The audit of the part's geometry found something that a sound model does not "
        "have: an open skin, inverted or repeated triangles, a size that hints at a wrong unit.",
        cause="An export with loose tolerances, or a unit that the file does not carry.",
        fix="Mend the model where it was made, or correct the unit. Nothing is repaired silently.",
    ),
    Page(
        code="P121",
        title="normal into the material",
        meaning="A step along the point's normal ends inside the part, so the probe would come "
        "through the material.",
        cause="Normals exported with the opposite sign, or a part drawn inside out.",
        fix="Turn the normals round in the point file, or mend the part's orientation.",
    ),
    Page(
        code="P122",
        title="point off the surface",
        meaning="The point lies farther from the part's surface than the limit stated.",
        cause="Points and geometry of different revisions, or in different frames or units.",
        fix="Check frame, revision and unit of both; a compensated list of ball centres also does "
        "this.",
    ),
    Page(
        code="P123",
        title="not taken from the point file",
        meaning="The point file holds a feature, a block or a part of its programme that gives no "
        "probe points here; the message says which, in which line, and why. A warning where "
        "touches are lost, a note where there are none to lose, as in a construction.",
        cause="A MEAS block without PTMEAS, a feature of a QIF plan without a point set, "
        "coordinates, branches or datum systems that are known on the machine only.",
        fix="Give the points in the file, or lay them out with `palpeur sample`; split a programme "
        "where its datum system is lost.",
    ),
    Page(
        code="P124",
        title="how the point file was read",
        meaning="Format, unit and state of the points, and what was done or passed over in reading "
        "them: columns that are not read, the datum system of the points, normals from the part.",
        cause="A point file that is not Palpeur's own, or leaves something to its format's rules.",
        fix="Nothing, if it is what the file means; otherwise name unit and format in [points].",
    ),
    Page(
        code="P125",
        title="doubt about the points",
        meaning="The points can be used, but something about them is unusual: normals that are not "
        "of length 1, points that stand where another one does.",
        cause="A mistyped component, or a list that was put together from two.",
        fix="Check the points that the message names.",
    ),
)
