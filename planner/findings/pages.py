"""The page of every finding code; ``palpeur explain CODE`` prints it.

R1xx: robot files. R2xx: states, inverse models and dynamics. P1xx: plans. S2xx: motions of a
Stewart-Gough platform. B3xx: motions of a biped. E1xx: measured points.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from planner.errors import FindingError


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a finding means.

    Args:
        code: stable, never used again for something else.
        title: a few words.
        meaning: what was found.
        cause: where it usually comes from.
        fix: what to do.
    """

    code: str
    title: str
    meaning: str
    cause: str
    fix: str


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
        code="P107",
        title="touch faster than the joints allow",
        meaning="The ball is to pass through the nominal surface at a constant speed and to stop "
        "wherever the probe triggers. In no branch can the joints keep that speed, or stop from "
        "it within what the line has for it. The message gives the largest speed, or the hardest "
        "stop, that works.",
        cause="A touch speed above what slow or far-reaching joints can do, or a deceleration "
        "above their acceleration limits.",
        fix="Lower speed_mm_s in [touch], or in [[touch.feature]] for this feature alone; give a "
        "smaller deceleration_mm_s2, or none.",
    ),
    Page(
        code="P108",
        title="overrun beyond what the stylus gives",
        meaning="After a trigger the ball goes on for the latency at touch speed and then slows "
        "down. That is farther than probe.overtravel_mm, so the stylus could break.",
        cause="A touch speed, latency or deceleration that does not suit the stylus.",
        fix="Touch more slowly, shorten the latency, or brake harder.",
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
        fix="Correct the model where it was made, or the unit. Every repair is in the report.",
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
    Page(
        code="P126",
        title="geometry adapted on reading",
        meaning="The part is not quite what its file holds: surfaces beside closed solids (sheets) "
        "were left out, or closed pieces that were inside out were turned.",
        cause="AP242 files carry supplementary sheets for datums and sections; some exporters wind "
        "triangles the wrong way round.",
        fix='None, unless the sheets are part of the piece: sheets = "include" in [part].',
    ),
)
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
        "no path around it was found or looked for.",
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
        "for all instants, not only for samples. The true minimum clearance is at most the "
        "tolerance stated above it. On probing lines the probed surface does not count; there the "
        "stylus is measured against the part only where it comes nearer to it than the patch is "
        "wide.",
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
DETOUR_PAGES = (
    Page(
        code="P137",
        title="no collision-free travel found",
        meaning="The straight joint motion between two clearance points comes too near to "
        "something, and no detour was found. The message names what is in the way, how deep "
        "and where, and how many motions were looked at. A search at random that finds nothing "
        "does not prove that there is nothing.",
        cause="A clearance point in a pocket or behind an obstacle, too much clearance asked for, "
        "or a clearance plane or cube that does not lead past the obstacle.",
        fix='Raise the clearance plane or enlarge the cube, allow any way (detour = "auto"), lower '
        "clearance_mm, or change the order so that these two points do not follow each other.",
    ),
    Page(
        code="P138",
        title="travel takes a detour",
        meaning="The straight joint motion between two clearance points does not keep its "
        "clearance. The travel goes another way, proven like every motion; the message says by "
        "which way and how much longer it takes.",
        cause="An obstacle, the part or the robot itself between two clearance points.",
        fix="Nothing. Where time matters, let the order avoid it, or lower the clearance plane.",
    ),
)
PRESENTER_PAGES = (
    Page(
        code="P140",
        title="no pose of the presenter serves the point",
        meaning="Among the poses of the platform that were tried, within its strokes, joint cones "
        "and clearances, none was planned in which the point is measured. The message repeats why "
        "it fails with the platform at home. A search that finds nothing proves nothing.",
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
ROBOT_FILE_PAGES = (
    Page(
        code="R101",
        title="body not physically consistent",
        meaning="No real distribution of mass has this mass, centre of mass and inertia tensor: "
        "a central moment is below zero, or one exceeds the sum of the other two.",
        cause='The tensor refers to another point than the file says (at = "origin" or '
        'at = "com"), a digit is wrong, or products of inertia have the other sign.',
        fix="Check which point the source's tensor refers to, then its digits. The robot stays "
        "usable: published robots fail this too. Torques may be wrong, and a mass matrix may "
        "lose its positive definiteness.",
    ),
    Page(
        code="R102",
        title="joint without position limits",
        meaning="The joint has no lower or no upper limit, so every value counts as within limits.",
        cause="min_deg/max_deg (prismatic: min_mm/max_mm) are not in the file.",
        fix="Add both. A wheel that really turns without end needs none.",
    ),
    Page(
        code="R103",
        title="joint without speed or acceleration limit",
        meaning="No least time can be computed for a motion of this joint.",
        cause="max_speed_… or max_acceleration_… is not in the file.",
        fix="Add max_speed_rad_s and max_acceleration_rad_s2 (prismatic: max_speed_m_s and "
        "max_acceleration_m_s2) from the drive's data sheet: in a robot file, or in the job under "
        "robot.limits.NAME. URDF has no accelerations; robot.default_acceleration_rad_s2 (_m_s2) "
        "in the job gives one to all joints without.",
    ),
    Page(
        code="R104",
        title="body without mass",
        meaning="The body of a movable joint, and every body beyond it, has neither mass nor "
        "inertia.",
        cause="The file describes geometry only, or a [joint.body] table is missing.",
        fix="Add the bodies if torques matter. Forward, inverse and velocity models need none.",
    ),
    Page(
        code="R105",
        title="mass matrix is singular",
        meaning="At sampled postures the joint-space mass matrix is not positive definite, so "
        "accelerations do not follow from torques.",
        cause="The last bodies have no inertia about their joint axes (often left out of "
        "publications), or a body is not physically consistent (R101).",
        fix="Give the missing inertia, or a motor_inertia_kg_m2. Torques of a given motion are "
        "right all the same; `robot dynamics --forward` is not available.",
    ),
    Page(
        code="R106",
        title="collision geometry not read",
        meaning="Links of a URDF file have collision geometry that is not read, so the space they "
        "take is not checked against the part, the cell and the other links.",
        cause="The geometry is a mesh, or of a kind that is not known.",
        fix="Replace it by spheres, cylinders or boxes in the URDF file, or write the robot as "
        "TOML (`robot show ROBOT --as toml`) and add [[joint.capsule]] tables.",
    ),
    Page(
        code="R107",
        title="pair of capsules that always touches",
        meaning="Two capsules that self_collision names overlap in every sampled posture, so "
        "every motion would be reported as a collision.",
        cause="The capsules belong to neighbouring links, or one of them is too large.",
        fix="Leave the pair out of self_collision, shorten or thin one of the two, or leave the "
        "key out: then only pairs that can be apart are watched.",
    ),
    Page(
        code="R108",
        title="joint that cannot move",
        meaning="Both position limits of a movable joint are the same, so the joint keeps one "
        "value and most poses are out of reach.",
        cause="A <limit> of a URDF file without lower and upper, which then are zero.",
        fix="Give the range in the file, or in the job under robot.limits.NAME.",
    ),
    Page(
        code="R109",
        title="link taken as tool frame",
        meaning="A URDF file does not say which link is the tool frame. The link that is given "
        "counts; else one called tool0, flange, tcp or tool, in this order, if a joint moves it; "
        "else the last link behind the most moving joints. Where several are as good, the file is "
        "refused and they are listed.",
        cause="The robot is a URDF file.",
        fix="Where another link is meant, give it: --tip LINK, or tip under [robot] in a job. The "
        "tool frame's z axis is the probe axis; robot.tool moves it.",
    ),
    Page(
        code="R110",
        title="branches off the chain to the tool frame",
        meaning="Only the chain of joints from the base to the tool frame moves. Joints that "
        "branch off it (fingers, a second arm, a mimic linkage) are held at zero, or at the limit "
        "nearest to it, and a mimic joint follows the one it mimics. Masses and shapes of the "
        "links behind them, and of links fixed beside the chain, count as they stand then; how a "
        "branch itself moves is not checked.",
        cause="A URDF file with a gripper, several arms or a parallel linkage.",
        fix="Nothing where the branch keeps still during measuring. Otherwise remove it from the "
        "file, or give its shape as an obstacle or a capsule of the probe.",
    ),
    Page(
        code="R111",
        title="default acceleration used",
        meaning="The robot file gives no acceleration limit for the joints named, and the job puts "
        "its default there. Durations, speeds and torques of the plan depend on this number.",
        cause="robot.default_acceleration_rad_s2 (_m_s2) in the job; URDF has no accelerations.",
        fix="Give the drives' own limits: max_acceleration_rad_s2 (_m_s2) under robot.limits of "
        "each joint.",
    ),
    Page(
        code="R112",
        title="masses unknown",
        meaning="No mass of a link that moves is known. Positions, speeds, accelerations and "
        "clearances are planned and proven; torques, power and energy are not evaluated, and no "
        "torque limit is checked.",
        cause='masses = "unknown" in the robot file; or a URDF file without <inertial>, or with '
        "masses of zero.",
        fix="Give [joint.body] tables with mass_kg, com_mm and inertia_kg_m2, and remove masses = "
        '"unknown"; in a URDF file give <inertial>.',
    ),
)
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
BIPED_PAGES = (
    Page(
        code="B301",
        title="robot falls",
        meaning="The centre of mass leaves the support polygon: gravity alone turns the robot over "
        "the edge named, and no torque at a joint brings it back without a step. The message says "
        "when and over which edge. What a turning sole does is not simulated: samples, figures and "
        "replay end at the fall.",
        cause="Bending so far that the body is behind the heel, ground that tilts more than the "
        "posture bears, or a push beyond the capture limit.",
        fix="Bend or tilt less, or push no faster than the speed stated; start in a posture that "
        "leans the other way, or use the stabiliser (`palpeur biped tilt` without --frozen).",
    ),
    Page(
        code="B302",
        title="robot tips",
        meaning="The zero-moment point reaches an edge of the support polygon while the centre of "
        "mass is still inside: the sole begins to turn about that edge. The robot may come back; "
        "later samples are those of a sole held to the ground.",
        cause="Accelerations that are too high for the size of the foot.",
        fix="Give the motion more time, or keep it farther from the edge named.",
    ),
    Page(
        code="B303",
        title="joint stop passed",
        meaning="A joint goes beyond the stop that the biped's file gives, but stays within the "
        "range of its transmission: the mechanism can do it, a controller with that stop will not.",
        cause="The stops of BIP 2000 come from its source's simulation and are narrower than what "
        "the drives reach: the knee's excludes a stretched leg.",
        fix="Nothing for a check of the mechanism. For a controller with these stops, bend less by "
        "the angle stated, or keep the knee a little bent.",
    ),
    Page(
        code="B304",
        title="joint range passed",
        meaning="A joint goes beyond its limit, or where its transmission no longer reaches. What "
        "its motors do there is not told.",
        cause="A motion that bends too far.",
        fix="Bend less by the angle stated.",
    ),
    Page(
        code="B305",
        title="motor limit passed",
        meaning="A motor would have to turn faster, or give more torque, than its file says it "
        "can; seen through the transmission at the posture of that instant.",
        cause="A fast motion, or one in a posture where the transmission's ratio is unfavourable.",
        fix="Give the motion more time, or bend less.",
    ),
    Page(
        code="B306",
        title="joint torque passed",
        meaning="A joint needs more torque than its limit.",
        cause="A deep posture under the whole weight, or a fast motion.",
        fix="Bend less, or go slower.",
    ),
    Page(
        code="B307",
        title="joint speed passed",
        meaning="A joint turns faster than its limit.",
        cause="Too little time.",
        fix="Give the motion more time.",
    ),
    Page(
        code="B308",
        title="motors not judged",
        meaning="The biped's file does not say how motors drive the joints, or says it in a way "
        "that cannot work; the message has the reason. The motion itself is judged all the same.",
        cause="A file without [[transmission]] tables, or with a wrong figure in one.",
        fix="Give every joint a [[transmission]] table; `palpeur biped show bip-leg --toml` prints "
        "one to start from.",
    ),
    Page(
        code="B309",
        title="feet collide",
        meaning="Seen from above the soles of the two feet overlap in a walk: the feet collide, or "
        "the one that is swung meets the leg that stands on the other. How high it is swung does "
        "not count. The message says when they meet and how deep they overlap.",
        cause="A step width (`--step-width`) that is less than the soles are wide.",
        fix="Make the steps as wide as stated.",
    ),
)


def pages() -> tuple[Page, ...]:
    """All pages, in the order of their codes."""
    plans = PLAN_PAGES + CLEARANCE_PAGES + DETOUR_PAGES + PRESENTER_PAGES + UNCERTAINTY_PAGES
    return BIPED_PAGES + EVALUATION_PAGES + plans + ROBOT_FILE_PAGES + MODEL_PAGES + STEWART_PAGES


def page(code: str) -> Page:
    """The page of a code, in any case of letters.

    Raises:
        FindingError: no such code; the message names the nearest ones.
    """
    by_code = {item.code: item for item in pages()}
    wanted = code.strip().upper()
    if wanted in by_code:
        return by_code[wanted]
    near = [c for c in by_code if wanted and c.startswith(wanted)]
    near = near or sorted(get_close_matches(wanted, by_code, n=3, cutoff=0.5))
    advice = f"the nearest: {', '.join(near)}" if near else f"there are {', '.join(by_code)}"
    raise FindingError(f"There is no finding {code!r}; {advice}.", code=code, nearest=tuple(near))
