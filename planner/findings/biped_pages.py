"""Pages of the findings about motions of a biped (B3xx)."""

from __future__ import annotations

from planner.findings.pages import Page

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
