"""Cases as textbooks on tolerancing have them, each worked by hand in its comment.

In the style of ASME Y14.5-2018 (§7.11 material condition, §10.3 position, §10.5 composite frames)
and of ISO 2692 annex A; the numbers are ours, the rules are theirs. All lengths in mm.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parts.evaluation.tolerance import Conformance, ToleranceSpec
from tests.cases import some
from tests.parts.evaluation.test_datum_frames import (
    ABC,
    MM,
    PLACES,
    judged,
    only,
    plate,
    size,
    slotted,
    system,
    wide,
)

PASS, FAIL = Conformance.PASS, Conformance.FAIL


def boss(plate_, *names):
    """The same with shafts in place of some bores."""
    points, measured = plate_
    flipped = np.isin(points.features, names)
    normals = np.where(flipped[:, None], -points.normals, points.normals)
    return replace(points, normals=normals), measured


# A bore of 10 +0.2/0 (shaft: 10 0/-0.2), off by (0.06, 0.08): its axis is 0.1 off, position 0.2.
# The limit is the tolerance and what the size departs from its limit:
#   M of a bore from 10, of a shaft from 10; L of a bore from 10.2, of a shaft from 9.8.
@pytest.mark.parametrize(
    ("form", "material", "tolerance", "diameter", "limit", "verdict"),
    some(
        [
            ("bore", "", 0.25, 10.15, 0.25, PASS),  # regardless of size: no bonus
            ("bore", "", 0.15, 10.15, 0.15, FAIL),
            ("bore", "M", 0.05, 10.00, 0.05, FAIL),  # at maximum material: 0.05 + 0
            ("bore", "M", 0.05, 10.16, 0.21, PASS),  # 0.05 + 0.16
            (
                "bore",
                "M",
                0.0,
                10.19,
                0.19,
                FAIL,
            ),  # zero at maximum material: only what it is wider
            ("bore", "L", 0.15, 10.20, 0.15, FAIL),  # at least material: 0.15 + 0
            ("bore", "L", 0.15, 10.12, 0.23, PASS),  # 0.15 + 10.2 - 10.12
            ("shaft", "", 0.25, 9.85, 0.25, PASS),
            ("shaft", "M", 0.05, 10.00, 0.05, FAIL),
            ("shaft", "M", 0.05, 9.84, 0.21, PASS),  # 0.05 + 10 - 9.84
            ("shaft", "M", 0.0, 9.81, 0.19, FAIL),
            ("shaft", "L", 0.15, 9.80, 0.15, FAIL),
            ("shaft", "L", 0.15, 9.88, 0.23, PASS),  # 0.15 + 9.88 - 9.8
        ],
        gate=7,
    ),
)
def test_position_regardless_of_size_at_maximum_and_at_least_material(
    form, material, tolerance, diameter, limit, verdict
):
    part = plate(h1={"at": (0.06, 0.08), "diameter": diameter})
    part = boss(part, "h1") if form == "shaft" else part
    spec = ToleranceSpec(
        feature="h1", kind="position", value=tolerance * MM, datums=ABC, material=material
    )
    sized = size("h1", 0.0, 0.2) if form == "bore" else size("h1", -0.2, 0.0)
    item = only(judged(part, spec, sized, seed=1), "h1")
    assert item.measured == pytest.approx(0.2 * MM, abs=1e-9)
    assert item.limit == pytest.approx(limit * MM, abs=1e-9)
    assert item.verdict is verdict


# A|B(M) with B 20 +0.1/0, of which D holds the turn; h1 is 0.1 off along D, position 0.2 to A|B|D.
# The pin of B is 20; the part shifts by half of what B is wider, so the position is less by that.
# With a squareness of B to A of 0.03 M the pin is 19.97, and the part shifts by 0.015 more.
@pytest.mark.parametrize(
    ("diameter", "squareness", "position"),
    some(
        [(20.00, None, 0.20), (20.06, None, 0.14), (20.10, None, 0.10), (20.06, 0.03, 0.11)], gate=3
    ),
)
def test_datum_shift_at_the_maximum_material_boundary(diameter, squareness, position):
    part = plate(["B"], h1={"at": (0.1, 0.0)}, B={"diameter": diameter})
    spec = ToleranceSpec(
        feature="h1", kind="position", value=0.1 * MM, datums=system("A", "B(M)", "D")
    )
    own = [
        ToleranceSpec(
            feature="B", kind="perpendicularity", value=value * MM, datums=system("A"), material="M"
        )
        for value in (squareness,)
        if value is not None
    ]
    item = only(judged(part, spec, size("B", 0.0, 0.1), *own), "h1")
    assert item.measured == pytest.approx(position * MM, abs=2e-8)
    assert item.datum_shift == pytest.approx((0.2 - position) * MM, abs=2e-8)


# A composite frame: 0.8 to A|B|C places the pattern h1, h2; 0.1 to A holds the bores to each other.
# Both bores are 0.3 off in x, h1 another 0.04, h2 as much less: 0.68 and 0.52 to A|B|C. To A the
# pattern may lie anywhere and turn: what is left is by how much h1 and h2 are too far from each
# other, half for each bore, so that the diameter of the zone is that whole length:
# |(20.08, 50)| - |(20, 50)| = 0.0298, whereas both frames would fail with 0.05 and 0.02.
@pytest.mark.parametrize(("upper", "lower", "verdicts"), [
    (0.8, 0.1, {PASS}), (0.6, 0.1, {PASS, FAIL}), (0.5, 0.02, {FAIL}),
])  # fmt: skip
def test_a_composite_frame_is_two_tolerances(upper, lower, verdicts):
    part = plate(h1={"at": (0.34, 0.0)}, h2={"at": (0.26, 0.0)})
    specs = [
        ToleranceSpec(feature=name, kind="position", value=value * MM, datums=datums)
        for name in ("h1", "h2")
        for value, datums in ((upper, ABC), (lower, system("A")))
    ]
    found = judged(part, *specs, seed=2)
    assert not found.refusals
    values = {
        (one.feature, one.system): one for one in found.characteristics if one.kind == "position"
    }
    assert values["h1", "A|B|C"].measured == pytest.approx(0.68 * MM, abs=1e-9)
    assert values["h2", "A|B|C"].measured == pytest.approx(0.52 * MM, abs=1e-9)
    d = np.subtract(PLACES["h1"], PLACES["h2"])
    apart = np.linalg.norm(np.add(d, [0.08, 0.0])) - np.linalg.norm(d)
    for name in ("h1", "h2"):
        assert values[name, "A"].measured == pytest.approx(apart * MM, abs=2e-8)
    assert {one.verdict for one in values.values()} == verdicts


# A slot of 8 +0.1/0, position 0.05 M: its block is 7.95. A slot of 8.06 whose median plane is 0.05
# off has the position 0.1 and the limit 0.05 + 0.06 = 0.11; at 8.04 the limit is 0.09. The block
# from -3.975 to 3.975 goes into the slot from 0.05 - 4.03 = -3.98, not into that from 0.05 - 4.02.
@pytest.mark.parametrize(("width", "verdict"), [(8.06, PASS), (8.04, FAIL)])
def test_a_slot_at_maximum_material(width, verdict):
    part = slotted(plate(), at=(50.0, -10.0), off=0.05, width=width)
    spec = ToleranceSpec(feature="S", kind="position", value=0.05 * MM, datums=ABC, material="M")
    item = only(judged(part, spec, wide(0.0, 0.1)), "S")
    assert item.measured == pytest.approx(0.1 * MM, abs=1e-9)
    assert item.limit == pytest.approx((0.05 + width - 8) * MM, abs=1e-9)
    assert item.verdict is verdict
