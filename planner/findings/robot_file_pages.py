"""Pages of the findings about robot files (R1xx)."""

from __future__ import annotations

from planner.findings.pages import Page

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
)
