"""Pages of the findings about motions of a biped (B3xx)."""

from __future__ import annotations

from planner.findings.pages import Page

BIPED_PAGES = (
    Page(
        code="B301",
        title="robot falls",
        meaning="The centre of mass leaves the support polygon: gravity alone turns the robot over "
        "the edge named, and no torque at a joint brings it back without a step. The message says "
        "when, over which edge, and how far outside it is at the worst. Later samples are those of "
        "a robot held to the ground.",
        cause="Bending so far that the body is behind the heel, ground that tilts more than the "
        "posture bears, or a push beyond the capture limit.",
        fix="Bend or tilt less, lean towards the middle of the polygon by the distance stated, or "
        "use the stabiliser (`palpeur biped tilt` without --frozen).",
    ),
    Page(
        code="B302",
        title="robot tips",
        meaning="The zero-moment point reaches an edge of the support polygon while the centre of "
        "mass is still inside: the sole begins to turn about that edge. The robot may come back.",
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
)
