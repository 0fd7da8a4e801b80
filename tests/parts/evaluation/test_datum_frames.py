"""Tolerances in datum systems, with material requirements: known answers and a gauge.

The numbers are worked by hand in the style of the examples of ASME Y14.5-2018 §7.11 and §10.3 and
of ISO 2692 annex A: a bore of 10 to 10.2 mm and position 0.1 at maximum material has the virtual
condition 9.9 mm, and every hundredth that it is wider may be a hundredth of position.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from parts.drawing.drawing import DatumElement, DatumReference
from parts.evaluation.comparison import AlignmentTask, ComparisonTask, compare
from parts.evaluation.tolerance import Conformance, DatumFeature, ToleranceSpec
from parts.evaluation.uncertainty import add_uncertainties
from parts.points import ProbePoints
from tests.cases import cases, some

MM = 1e-3
RING = np.radians(np.arange(0.0, 360.0, 30.0))
OUT = np.column_stack([np.cos(RING), np.sin(RING), 0.0 * RING])
PLACES = {"B": (0.0, 0.0), "C": (100.0, 0.0), "h1": (50.0, 30.0), "h2": (30.0, -20.0)}  # [mm]
RADII = {"B": 10.0, "C": 5.0, "h1": 5.0, "h2": 5.0}


def drilled(name, at=(0.0, 0.0), diameter=None, tilt=0.0, deep=False):
    """Points of a bore in one or two sections; displaced and wider [mm], tilted about y [rad]."""
    radius = RADII[name] if diameter is None else diameter / 2
    rows = np.vstack([radius * OUT + [0.0, 0.0, h] for h in ((5.0, -5.0) if deep else (0.0,))])
    turned = Rotation.from_rotvec([0.0, tilt, 0.0]).apply(rows)
    return (turned + np.array([*np.add(PLACES[name], at), -7.0])) * MM


def plate(deep=(), **changes):
    """Nominal points of a plate, and those of one whose bores are drilled otherwise.

    Sections are fitted faster than cylinders, and say the same where nothing is tilted.
    """
    square = np.array([[-20, -30, 0], [120, -30, 0], [-20, 40, 0], [120, 40, 0], [50, 0, 0]]) * MM
    side = np.array([[-20, -30, -5], [120, -30, -5], [50, -30, -9]]) * MM
    names = ["A"] * 5 + ["D"] * 3
    nominal, measured = [square, side], [square, side]
    normals = [np.tile([0.0, 0, 1], (5, 1)), np.tile([0.0, -1, 0], (3, 1))]
    for name in PLACES:
        nominal.append(drilled(name, deep=name in deep))
        measured.append(drilled(name, deep=name in deep, **changes.get(name, {})))
        normals.append(-np.tile(OUT, (len(nominal[-1]) // len(OUT), 1)))
        names += [name] * len(nominal[-1])
    points = ProbePoints(
        names=tuple(f"{name}-{k}" for k, name in enumerate(names)),
        positions=np.vstack(nominal),
        normals=np.vstack(normals),
        features=tuple(names),
    )
    return points, np.vstack(measured)


def system(*names):
    """A datum system; "B(M)" is B at its maximum material boundary."""
    return tuple(
        DatumReference(
            elements=tuple(
                DatumElement(label=one, modifiers=("MMB",) if n.endswith("(M)") else ())
                for one in n.removesuffix("(M)").split("-")
            )
        )
        for n in names
    )


def size(feature, lower, upper):
    nominal = 2 * RADII[feature]
    half, middle = (upper - lower) / 2, (upper + lower) / 2
    return ToleranceSpec(
        feature=feature, kind="diameter", value=half * MM, nominal=nominal * MM, middle=middle * MM
    )


def judged(plate_, *tolerances, datums=(), seed=None):
    points, measured = plate_
    names = {spec.feature for spec in tolerances} | {spec.datum for spec in tolerances}
    names |= {one.label for spec in tolerances for datum in spec.datums for one in datum.elements}
    used = np.flatnonzero([name in names for name in points.features])
    points, measured = points.take(used), measured[used]
    if seed is not None:  # wherever the part stands
        rng = np.random.default_rng(seed)
        turn = Rotation.from_rotvec(rng.uniform(-0.05, 0.05, 3))
        measured = turn.apply(measured) + rng.uniform(-0.01, 0.01, 3)
    nominal = points
    alignment = AlignmentTask(
        method="none",
        nominal=nominal.positions,
        normals=nominal.normals,
        features=nominal.features,
    )
    task = ComparisonTask(
        points=points, alignment=alignment, tolerances=tuple(tolerances), datums=tuple(datums)
    )
    return compare(task, measured)


def only(found, feature, kind="position"):
    assert not found.refusals, [one.reason for one in found.refusals]
    return next(c for c in found.characteristics if (c.feature, c.kind) == (feature, kind))


ABC = system("A", "B", "C")


@pytest.mark.parametrize("seed", some([1, 2], gate=1))
def test_a_bore_that_is_displaced_has_the_position_of_its_displacement(seed):
    """h1 is off by (0.03, 0.04) mm: 2 × 0.05 mm, whatever the part's pose."""
    spec = ToleranceSpec(feature="h1", kind="position", value=0.1 * MM, datums=ABC)
    other = ToleranceSpec(feature="h2", kind="position", value=0.1 * MM, datums=ABC)
    found = judged(plate(h1={"at": (0.03, 0.04)}), spec, other, seed=seed)
    assert only(found, "h1").measured == pytest.approx(0.1 * MM, abs=1e-10)
    assert only(found, "h2").measured == pytest.approx(0.0, abs=1e-10)
    assert only(found, "h1").name == "h1 position to A|B|C"


def test_a_datum_that_is_displaced_moves_what_refers_to_it():
    """C 0.3 mm off in y turns the frame by atan(0.3/100) about B; the oracle turns the bores."""
    spec = ToleranceSpec(feature="h1", kind="position", value=0.1 * MM, datums=ABC)
    face = ToleranceSpec(feature="D", kind="profile", value=0.1 * MM, datums=ABC)
    found = judged(plate(C={"at": (0.0, 0.3)}), spec, face)
    turn = np.arctan(0.003)
    x, y = PLACES["h1"]
    back = np.array([np.cos(turn) * x + np.sin(turn) * y, np.cos(turn) * y - np.sin(turn) * x])
    expected = 2 * np.hypot(*(back - (x, y))) * MM
    assert only(found, "h1").measured == pytest.approx(expected, abs=1e-10)
    # the side D, 30 mm below B: its far end at x = 120 goes down by what the turn gives there
    low = -30 * np.cos(turn) - 120 * np.sin(turn)
    assert only(found, "D", "profile").measured == pytest.approx(2 * abs(low + 30) * MM, abs=1e-10)


@pytest.mark.parametrize(
    ("diameter", "bonus", "verdict"),
    some(
        [
            (10.05, 0.05, Conformance.FAIL),
            (10.00, 0.00, Conformance.FAIL),
            (10.11, 0.11, Conformance.PASS),
            (10.20, 0.20, Conformance.PASS),
            (9.98, -0.02, Conformance.FAIL),
        ],
        gate=3,
    ),
)
def test_a_bore_that_is_wider_may_be_farther_off(diameter, bonus, verdict):
    """10 +0.2/0, position 0.1 M, off by 0.1 mm in x: position 0.2, passes from 10.1 on."""
    spec = ToleranceSpec(feature="h1", kind="position", value=0.1 * MM, datums=ABC, material="M")
    bad = plate(h1={"at": (0.1, 0.0), "diameter": diameter})
    item = only(judged(bad, spec, size("h1", 0.0, 0.2)), "h1")
    assert item.measured == pytest.approx(0.2 * MM, abs=1e-9)
    assert item.size == pytest.approx(diameter * MM, abs=1e-9)
    assert item.bonus == pytest.approx(bonus * MM, abs=1e-9)
    assert item.limit == pytest.approx((0.1 + bonus) * MM, abs=1e-9)
    assert item.verdict is verdict


def test_zero_at_maximum_material_and_least_material():
    """0 M with limits 9.9 to 10.2 is what 0.1 M with 10 to 10.2 is; L counts from the upper."""
    bad = plate(h1={"at": (0.1, 0.0), "diameter": 10.11})
    zero = ToleranceSpec(feature="h1", kind="position", value=0.0, datums=ABC, material="M")
    item = only(judged(bad, zero, size("h1", -0.1, 0.2)), "h1")
    assert item.limit == pytest.approx(0.21 * MM, abs=1e-9)
    assert item.verdict is Conformance.PASS
    least = ToleranceSpec(feature="h1", kind="position", value=0.1 * MM, datums=ABC, material="L")
    item = only(judged(bad, least, size("h1", 0.0, 0.2)), "h1")
    assert item.bonus == pytest.approx(0.09 * MM, abs=1e-9)
    assert item.verdict is Conformance.FAIL


def test_squareness_of_a_bore_at_maximum_material():
    """10 mm deep and tilted by 8 mrad: 0.08 mm, where 0.05 and what 10.04 is wider are allowed."""
    spec = ToleranceSpec(
        feature="h1", kind="perpendicularity", value=0.05 * MM, datums=system("A"), material="M"
    )
    found = judged(plate(["h1"], h1={"tilt": 0.008, "diameter": 10.04}), spec, size("h1", 0.0, 0.2))
    item = only(found, "h1", "perpendicularity")
    assert item.measured == pytest.approx(10 * np.sin(0.008) * MM, abs=1e-9)
    assert item.bonus == pytest.approx(0.04 * MM, abs=1e-9)
    assert item.verdict is Conformance.PASS
    single = replace(spec, material="", datums=(), datum="A")
    same = replace(spec, material="")
    values = [
        only(judged(plate(["h1"], h1={"tilt": 0.008}), one), "h1", "perpendicularity").measured
        for one in (single, same, replace(same, datums=system("A", "B")))
    ]
    assert np.ptp(values) < 1e-10


def test_a_projected_zone_stands_on_the_primary_datum():
    """h1 leans by 8 mrad about its middle, 7 mm below A: 25 mm above A it is 32 · 0.008 mm off.

    Inside the bore, 10 mm deep, its ends are off by 5 · 0.008 only; so is the squareness.
    """
    bad = plate(["h1"], h1={"tilt": 0.008})
    spec = ToleranceSpec(feature="h1", kind="position", value=0.1 * MM, datums=ABC)
    square = replace(spec, kind="perpendicularity", datums=system("A"))
    for projected, position, squareness in (
        (0.0, 2 * 5 * np.tan(0.008), 10 * np.sin(0.008)),
        (25.0, 2 * 32 * np.tan(0.008), 25 * np.tan(0.008)),
    ):
        specs = [replace(one, projected=projected * MM) for one in (spec, square)]
        found = judged(bad, *specs, seed=5)
        assert only(found, "h1").measured == pytest.approx(position * MM, abs=1e-8)
        upright = only(found, "h1", "perpendicularity").measured
        assert upright == pytest.approx(squareness * MM, abs=2e-8)
    # a gauge with clearances sees the pins where they stand out
    wider = plate(["h1"], h1={"tilt": 0.008}, B={"diameter": 20.06}, C={"diameter": 10.06})
    shifted = [
        replace(one, projected=25 * MM) if one.kind == "position" else one for one in located("h1")
    ]
    item = only(judged(wider, *shifted, *SIZES), "h1")
    # the lean is in x, as the clearance of a part that shifts by 0.03 and turns by 0.06 in 100
    gain = 0.06 * np.sqrt(1.36)
    assert item.measured == pytest.approx((2 * 32 * np.tan(0.008) - gain) * MM, abs=5e-8)


# ---------------------------------------------------------------------------------- Datum shift

SHIFTING = system("A", "B(M)", "C(M)")


def located(*features, value=0.1, datums=SHIFTING):
    return [
        spec
        for name in features
        for spec in (
            ToleranceSpec(
                feature=name, kind="position", value=value * MM, datums=datums, material="M"
            ),
            size(name, 0.0, 0.2),
        )
    ]


SIZES = (size("B", 0.0, 0.1), size("C", 0.0, 0.1))


def test_a_clearance_of_a_datum_serves_the_position():
    """B and C 0.06 mm wider than their boundaries: the part shifts by 0.03, so 2 × 0.03 less."""
    wide = plate(h1={"at": (0.1, 0.0)}, B={"diameter": 20.06}, C={"diameter": 10.06})
    item = only(judged(wide, *located("h1"), *SIZES), "h1")
    # both pins let go 0.03 mm: a along x and b across, one up and one down, which turns the part
    # by 2b/100 and h1, 30 mm above, by 0.6 b along x; a + 0.6 b is at most 0.03 √(1 + 0.6²)
    gain = 0.06 * np.sqrt(1.36)
    assert item.measured == pytest.approx((0.2 - gain) * MM, abs=2e-8)
    assert item.datum_shift == pytest.approx(gain * MM, abs=2e-8)
    held = only(judged(wide, *located("h1", datums=ABC), *SIZES), "h1")
    assert held.measured == pytest.approx(0.2 * MM, abs=1e-9)
    assert held.datum_shift == 0.0


def test_one_gauge_sees_all_features_at_once():
    """h1 and h2 are off to opposite sides: a shift that serves one costs the other as much."""
    wide = plate(
        h1={"at": (0.1, 0.0)}, h2={"at": (-0.1, 0.0)}, B={"diameter": 20.06}, C={"diameter": 10.06}
    )
    found = judged(wide, *located("h1", "h2"), *SIZES)
    values = [only(found, name).measured for name in ("h1", "h2")]
    # a turn moves both along x by their heights 30 and -20 mm: 0.06 mm over 100 mm at most
    assert min(values) > (0.2 - 0.04) * MM
    assert values[0] == pytest.approx(values[1], abs=1e-7)


def test_a_plane_beside_a_clearance_is_kept():
    """A|B(M)|D: the side D stays on its line, so the part shifts along it only."""
    along = plate(h1={"at": (0.1, 0.0)}, B={"diameter": 20.06})
    across = plate(h1={"at": (0.0, 0.1)}, B={"diameter": 20.06})
    datums = system("A", "B(M)", "D")
    values = [
        only(judged(one, *located("h1", datums=datums), *SIZES), "h1").measured
        for one in (along, across)
    ]
    assert values == pytest.approx([0.14 * MM, 0.2 * MM], abs=2e-8)


def test_a_boundary_counts_the_datum_s_own_tolerance_and_what_is_stated():
    own = ToleranceSpec(
        feature="B", kind="perpendicularity", value=0.02 * MM, datums=system("A"), material="M"
    )
    bad = plate(["B"], h1={"at": (0.1, 0.0)})
    datums = system("A", "B(M)", "D")
    virtual = only(judged(bad, *located("h1", datums=datums), *SIZES, own), "h1")
    assert virtual.measured == pytest.approx((0.2 - 0.02) * MM, abs=2e-8)
    stated = [DatumFeature(label="B", feature="B", boundary=19.95 * MM)]
    found = judged(bad, *located("h1", datums=datums), *SIZES, datums=stated)
    assert only(found, "h1").measured == pytest.approx((0.2 - 0.05) * MM, abs=2e-8)


@pytest.mark.parametrize("seed", range(cases(gate=2, soak=20)))
def test_the_gauge_says_the_same(seed):
    """The surface method: pins at virtual condition, and the largest room they leave at any pose.

    Round bores square to A leave a pin half of what their position is within its limit.
    """
    rng = np.random.default_rng(seed)
    names = ("h1", "h2")
    bores = {
        name: {"at": rng.uniform(-0.1, 0.1, 2), "diameter": 2 * RADII[name] + rng.uniform(0, 0.1)}
        for name in names
    }
    bores |= {
        name: {"at": (0.0, 0.0), "diameter": 2 * RADII[name] + rng.uniform(0.02, 0.1)}
        for name in ("B", "C")
    }
    datums = system("A", "B-C(M)") if seed % 2 else SHIFTING  # the pins are the same
    found = judged(plate(**bores), *located(*names, datums=datums), *SIZES, seed=seed)
    ours = max(only(found, name).measured - only(found, name).limit for name in names)

    pins = {"B": 20.0, "C": 10.0, "h1": 9.9, "h2": 9.9}
    dense = np.radians(np.arange(0.0, 360.0, 1.0))
    rings = np.column_stack([np.cos(dense), np.sin(dense)])
    holes = {
        name: bores[name]["diameter"] / 2 * rings + np.add(PLACES[name], bores[name]["at"])
        for name in pins
    }

    def rooms(pose):
        c, s = np.cos(pose[2] / 100), np.sin(pose[2] / 100)
        R = np.array([[c, -s], [s, c]])
        return {
            name: np.linalg.norm(holes[name] @ R.T + pose[:2] - PLACES[name], axis=1).min()
            - pins[name] / 2
            for name in pins
        }

    def worst(pose):
        room = rooms(pose)
        outside = -min(room["B"], room["C"], 0.0)
        return -min(room[name] for name in names) + 1e3 * outside

    corners = 0.02 * np.vstack([np.zeros(3), np.eye(3)])
    search = {"xatol": 1e-7, "fatol": 1e-7, "maxiter": 1000}
    best = min(
        minimize(
            worst,
            start,
            method="Nelder-Mead",
            options={**search, "initial_simplex": start + corners},
        ).fun
        for start in rng.uniform(-0.02, 0.02, (3, 3))
    )
    # 360 points stand for a circle: a pin sees 0.1 mm · (1 − cos 0.5°) more room; the search stops
    # within 1e-5 mm, and pays 1e3 for what a datum leaves its boundary
    assert 2 * best == pytest.approx(ours / MM, abs=5e-5)
    verdicts = {only(found, name).verdict for name in names}
    assert (2 * best <= 0) == (verdicts == {Conformance.PASS})


def test_a_pattern_of_bores_as_one_datum():
    """A|B-C: C off by 0.3 mm in y moves the middle of both by half of that, and turns as before."""
    spec = ToleranceSpec(feature="h1", kind="position", value=0.1 * MM, datums=system("A", "B-C"))
    item = only(judged(plate(C={"at": (0.0, 0.3)}), spec, seed=1), "h1")
    turn = np.arctan(0.003)
    x, y = np.subtract(PLACES["h1"], (50.0, 0.15))
    seen = np.array([np.cos(turn) * x + np.sin(turn) * y, np.cos(turn) * y - np.sin(turn) * x])
    off = seen - np.subtract(PLACES["h1"], (50.0, 0.0))
    assert item.measured == pytest.approx(2 * np.hypot(*off) * MM, abs=1e-10)
    assert item.name == "h1 position to A|B-C"
    # and C, 0.1 mm too far from B: each takes half of it, h1 stands in the middle; a circle that is
    # off by 0.05 from where it is sought looks off by its cube over 5² more
    item = only(judged(plate(C={"at": (0.1, 0.0)}, h1={"at": (0.05, 0.0)}), spec, seed=2), "h1")
    assert item.measured == pytest.approx(0.0, abs=5e-9)


@pytest.mark.parametrize("gap", [0.06, 0.02])
def test_a_common_datum_at_maximum_material_shifts_in_the_pins_of_all_its_features(gap):
    """A|B-C(M) is what A|B(M)|C(M) is: both pins let go half of what their bores are wider."""
    wide = plate(h1={"at": (0.1, 0.0)}, B={"diameter": 20 + gap}, C={"diameter": 10 + gap})
    item = only(judged(wide, *located("h1", datums=system("A", "B-C(M)")), *SIZES), "h1")
    gain = gap * np.sqrt(1.36)  # see above
    assert item.measured == pytest.approx((0.2 - gain) * MM, abs=2e-8)
    assert item.datum_shift == pytest.approx(gain * MM, abs=2e-8)
    assert item.name == "h1 position to A|B-C(M)"


def test_datum_bores_that_do_not_enter_the_gauge_are_told():
    """C is 0.3 mm too far from B, and both are at maximum material."""
    found = judged(plate(C={"at": (0.3, 0.0)}), *located("h1"), *SIZES)
    assert any("do not enter their material boundaries" in one.reason for one in found.refusals)


# ---------------------------------------------------------------------------------------- Widths


def slotted(plate_, at=(100.0, 0.0), off=0.0, width=8.0, ends=False):
    """The same with a slot S along x, 12 mm long, its median plane off in y and wider [mm]."""
    points, measured = plate_
    rows = np.array([(x, z) for x in (-6.0, 0.0, 6.0) for z in (-5.0, -9.0)])
    walls = [
        np.column_stack([rows[:, 0] + at[0], 0.0 * rows[:, 0] + side + at[1], rows[:, 1]]) * MM
        for side in (4.0, -4.0)
    ]
    seen = [
        wall + (off + s * (width - 8.0) / 2) * MM * np.eye(3)[1]
        for wall, s in zip(walls, (1, -1), strict=True)
    ]
    out = [np.tile([0.0, -s, 0.0], (len(rows), 1)) for s in (1.0, -1.0)]
    if ends:  # far ends of the two half-circles, which say nothing of the width
        far = np.array([[at[0] + 10, at[1], -5.0], [at[0] - 10, at[1], -5.0]]) * MM
        walls, seen = [*walls, far], [*seen, far + 1e-4 * np.eye(3)[0]]
        out = [*out, np.array([[-1.0, 0, 0], [1.0, 0, 0]])]
    count = sum(map(len, walls))
    return ProbePoints(
        names=(*points.names, *(f"S-{k}" for k in range(count))),
        positions=np.vstack([points.positions, *walls]),
        normals=np.vstack([points.normals, *out]),
        features=(*points.features, *["S"] * count),
    ), np.vstack([measured, *seen])


def wide(lower, upper):
    return ToleranceSpec(
        feature="S",
        kind="width",
        value=(upper - lower) / 2 * MM,
        nominal=8 * MM,
        middle=(upper + lower) / 2 * MM,
    )


@pytest.mark.parametrize("ends", [False, True])
def test_a_slot_is_a_feature_of_size(ends):
    """8 +0.1/0, its median plane 0.04 mm off; position 0.05 M: 0.08 against 0.05 + 0.06."""
    spec = ToleranceSpec(
        feature="S", kind="position", value=0.05 * MM, datums=system("A", "B", "C"), material="M"
    )
    standing = replace(spec, kind="perpendicularity", material="")
    square = ToleranceSpec(feature="S", kind="perpendicularity", value=0.05 * MM, datum="A")
    found = judged(
        slotted(plate(), at=(50.0, -10.0), off=0.04, width=8.06, ends=ends),
        spec, standing, square, wide(0.0, 0.1), seed=4,
    )  # fmt: skip
    item = only(found, "S")
    assert item.measured == pytest.approx(0.08 * MM, abs=1e-10)
    assert item.size == pytest.approx(8.06 * MM, abs=1e-10)
    assert item.bonus == pytest.approx(0.06 * MM, abs=1e-10)
    assert item.verdict is Conformance.PASS
    assert only(found, "S", "width").measured == pytest.approx(8.06 * MM, abs=1e-10)
    assert only(found, "S", "width").verdict is Conformance.PASS
    upright = [one.measured for one in found.characteristics if one.kind == "perpendicularity"]
    assert upright == pytest.approx([0.0, 0.0], abs=1e-10)
    without = replace(spec, material="")
    narrow = judged(slotted(plate(), off=0.04, width=7.99), spec, without, wide(0.0, 0.1))
    assert {one.verdict for one in narrow.characteristics if one.tolerance} == {Conformance.FAIL}


def test_a_slot_as_a_datum_of_size_lets_the_part_turn():
    """A|B|S(M): the slot is 0.06 wider than its boundary, 106 mm from B at its far end.

    So the part turns by 0.03/106 about B, which moves h1 from (50, 30.1) towards (50, 30).
    """
    spec = ToleranceSpec(
        feature="h1", kind="position", value=0.1 * MM, datums=system("A", "B", "S(M)"), material="M"
    )
    part = slotted(plate(h1={"at": (0.0, 0.1)}), width=8.06)
    item = only(judged(part, spec, size("h1", 0.0, 0.2), wide(0.0, 0.1)), "h1")
    turn = 0.03 / 106
    left = np.hypot(30.1 * turn, 0.1 - 50 * turn)
    assert item.measured == pytest.approx(2 * left * MM, abs=2e-8)
    assert item.datum_shift == pytest.approx((0.2 - 2 * left) * MM, abs=2e-8)
    # two sides under names of their own are the same datum, whose size has no tolerance then
    points, measured = part
    names = tuple(
        "S" if one == "S" and normal[1] < 0 else "T" if one == "S" else one
        for one, normal in zip(points.features, points.normals, strict=True)
    )
    plain = replace(spec, datums=system("A", "B", "S-T"))
    both = (replace(points, features=names), measured)
    held = only(judged(both, plain, size("h1", 0.0, 0.2)), "h1")
    assert held.measured == pytest.approx(0.2 * MM, abs=1e-9)


# ----------------------------------------------------------------------- Axes, freedoms, refusals


def test_runout_and_coaxiality_about_a_datum_axis():
    """A bore below B, 0.02 mm off its axis: distances from the axis range over twice that."""
    points, measured = plate(["B"])
    ring = drilled("B", at=(0.02, 0.0), deep=True)
    nominal = np.vstack([points.positions, drilled("B", deep=True) - 0.02 * np.eye(3)[2]])
    both = ProbePoints(
        names=(*points.names, *(f"k{k}" for k in range(24))),
        positions=nominal,
        normals=np.vstack([points.normals, -np.vstack([OUT, OUT])]),
        features=(*points.features, *["lower"] * 24),
    )
    seen = np.vstack([measured, ring - 0.02 * np.eye(3)[2]])
    specs = [
        ToleranceSpec(feature="lower", kind=kind, value=0.1 * MM, datums=system("B"))
        for kind in ("circular runout", "total runout", "coaxiality")
    ]
    flat = ToleranceSpec(feature="A", kind="total runout", value=0.1 * MM, datums=system("B"))
    found = judged((both, seen), *specs, flat)
    assert not found.refusals, [one.reason for one in found.refusals]
    values = {(one.feature, one.kind): one.measured for one in found.characteristics}
    for kind in ("circular runout", "total runout", "coaxiality"):
        assert values["lower", kind] == pytest.approx(0.04 * MM, abs=1e-9)
    assert values["A", "total runout"] == pytest.approx(0.0, abs=1e-10)


def shaft(**off):
    """A shaft about z [mm]: journals A and B at its ends, a seat m half way, each perhaps off in x.

    Journals have two sections, 10 mm apart; the middle of all is at 55 mm.
    """
    heights = {"A": (0.0, 10.0), "B": (100.0, 110.0), "m": (55.0,)}
    radii = {"A": 8.0, "B": 6.0, "m": 10.0}
    nominal, measured, names = [], [], []
    for name, levels in heights.items():
        rows = np.vstack([radii[name] * OUT + [0.0, 0.0, h] for h in levels]) * MM
        nominal.append(rows)
        measured.append(rows + off.get(name, 0.0) * MM * np.eye(3)[0])
        names += [name] * len(rows)
    points = ProbePoints(
        names=tuple(f"{name}-{k}" for k, name in enumerate(names)),
        positions=np.vstack(nominal),
        normals=np.tile(OUT, (5, 1)),
        features=tuple(names),
    )
    return points, np.vstack(measured)


def test_runout_to_the_common_axis_of_two_journals():
    """A off by 0.1 and B by 0.3 mm: their axis is 0.2 off half way, and so may the seat be.

    The axis leans by 0.2 in 100, which makes the seat an ellipse by 10 mm · 2e-6.
    """
    specs = [
        ToleranceSpec(feature="m", kind=kind, value=0.1 * MM, datums=system("A-B"))
        for kind in ("circular runout", "coaxiality")
    ]
    straight = judged(shaft(A=0.1, B=0.3, m=0.2), *specs, seed=3)
    crooked = judged(shaft(A=0.1, B=0.3), *specs, seed=4)
    for found, expected in ((straight, 0.0), (crooked, 0.4)):
        for spec in specs:
            item = only(found, "m", spec.kind)
            assert item.measured == pytest.approx(expected * MM, abs=5e-8)
    alone = replace(specs[0], datums=system("A"))
    assert only(judged(shaft(A=0.1, B=0.3), alone), "m", alone.kind).measured == pytest.approx(
        0.2 * MM, abs=1e-9
    )


def test_orientation_to_common_datums():
    """To a pattern of bores, which turns about nothing, a side stands as on the drawing."""
    lying = ToleranceSpec(feature="D", kind="parallelism", value=0.1 * MM, datums=system("B-C"))
    turned = plate(["B", "C"], C={"at": (0.0, 0.3)})
    item = only(judged(turned, lying), "D", "parallelism")
    # the side D is 140 mm long and 0.3 in 100 to the line through the bores
    assert item.measured == pytest.approx(140 * np.sin(np.arctan(0.003)) * MM, abs=1e-9)


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (
            {"feature": "D", "kind": "angularity", "datums": system("A", "B")},
            r"A\|B do not hold the angularity of 'D': .*it can turn about \(0, 0, 1\)",
        ),
        ({"feature": "h1", "kind": "coaxiality", "datums": system("B")}, "not coaxial .*58.31 mm"),
        ({"feature": "h1", "kind": "total runout", "datums": system("A")}, "A have none"),
        (
            {"feature": "D", "kind": "position", "datums": ABC, "projected": 0.01},
            "about an axis, but 'D' is no axis",
        ),
        (
            {
                "feature": "h1",
                "kind": "position",
                "datums": system("D", "A", "B"),
                "projected": 0.01,
            },
            "does not go through D|is no axis",
        ),
        ({"feature": "h1", "kind": "position", "datums": ABC, "material": "M"}, "no tolerance of"),
        ({"feature": "A", "kind": "position", "datums": ABC, "material": "M"}, "has no diameter"),
        (
            {"feature": "h1", "kind": "position", "datums": system("A", "D(M)", "B")},
            "D is a plane, whose material boundary",
        ),
    ],
)
def test_what_cannot_be_evaluated_says_why(spec, text):
    import re

    found = judged(plate(["B"]), ToleranceSpec(value=0.1 * MM, **spec))
    [refusal] = found.refusals
    assert re.search(text, refusal.reason), refusal.reason


def test_what_the_datums_leave_free_is_one_motion_for_the_whole_pattern():
    """To A|B the bores may turn about B, all by one angle; the answer is worked by hand.

    h1, r1 from B, is turned by +1 mrad and h2, r2, by -1 mrad: the turn x that serves both best has
    r1 (1 - x) = r2 (1 + x), so that each is off by 2 r1 r2 / (r1 + r2) mrad.
    """
    turned = {}
    for name, turn in (("h1", 1e-3), ("h2", -1e-3)):
        R = Rotation.from_rotvec([0.0, 0.0, turn]).as_matrix()[:2, :2]
        turned[name] = {"at": R @ PLACES[name] - PLACES[name]}
    specs = [
        ToleranceSpec(feature=name, kind="position", value=0.1 * MM, datums=system("A", "B"))
        for name in ("h1", "h2")
    ]
    found = judged(plate(**turned), *specs)
    r1, r2 = (float(np.hypot(*PLACES[name])) for name in ("h1", "h2"))
    expected = 2 * 2e-3 * r1 * r2 / (r1 + r2) * MM
    for name in ("h1", "h2"):
        assert only(found, name).measured == pytest.approx(expected, rel=1e-5)
        assert only(found, name).datum_shift == 0.0
    # each by itself may turn until it is right
    alone = judged(plate(h1=turned["h1"]), specs[0], seed=3)
    assert only(alone, "h1").measured == pytest.approx(0.0, abs=1e-9)
    # to A alone the pattern is free on A: only the distance of the two counts, half for each
    apart = plate(h1={"at": (0.3, 0.1)}, h2={"at": (0.3, 0.1)})
    both = [replace(spec, datums=system("A")) for spec in specs]
    assert only(judged(apart, *both), "h1").measured == pytest.approx(0.0, abs=1e-8)
    line = np.subtract(PLACES["h1"], PLACES["h2"])
    wide = plate(h1={"at": 0.1 * line / np.hypot(*line)})
    for name in ("h1", "h2"):
        item = only(judged(wide, *both), name)
        assert item.measured == pytest.approx(0.1 * MM, rel=1e-5)


def test_freedoms_that_do_not_matter_are_free():
    """Position of B on its own axis, squareness to A, profile of A to itself and B."""
    specs = [
        ToleranceSpec(feature="B", kind="position", value=0.1 * MM, datums=system("A", "B")),
        ToleranceSpec(feature="D", kind="perpendicularity", value=0.1 * MM, datums=system("A")),
        ToleranceSpec(feature="A", kind="profile", value=0.1 * MM, datums=system("A", "B")),
    ]
    found = judged(plate(), *specs)
    assert not found.refusals, [one.reason for one in found.refusals]
    assert max(item.measured for item in found.characteristics[:3]) < 1e-10


def test_values_in_a_datum_system_have_the_uncertainty_of_their_datums():
    """Independent noise of 1 µm: the middle of a bore of 24 points has σ·√(2/24), and so has B.

    The position is twice the distance of the axis's farther end: with a the middle's offset and b
    what the tilt adds at an end, 5 mm from the middle of two levels, as uncertain as the middle,
    it is 2 (a + |b|). The variance of |b| is that of b times 1 - 2/π, and its mean b's standard
    deviation times √(2/π), which the draws lie above the value measured.
    """
    spec = ToleranceSpec(feature="h1", kind="position", value=0.3 * MM, datums=ABC)
    wide = ToleranceSpec(feature="h2", kind="position", value=0.3 * MM, datums=ABC, material="M")
    part = plate(["h1", "h2", "B", "C"], h1={"at": (0.1, 0.0)}, h2={"at": (0.1, 0.0)})
    sigma = 1e-6
    found = judged(part, spec, wide, size("h2", 0.0, 0.2))
    errors = sigma * np.random.default_rng(3).normal(size=(2000, len(found.deviations), 3))
    sure = add_uncertainties(found, errors)

    middle = 2.0 / 24
    # B shifts without turns in x; the turn by C moves h1 along x by 30/100 of its y, B's other way
    ends = middle * (1.0 - 2.0 / np.pi)
    turn = (30 / 100) ** 2 * 2 * middle
    known = only(sure, "h1").uncertainty
    assert known.draws == 2000  # a standard deviation to 1.6 %: three of these
    assert known.standard == pytest.approx(2 * sigma * np.sqrt(2 * middle + ends + turn), rel=0.05)
    # 2000 draws know the mean to a 45th of the standard deviation
    shift = 2 * sigma * np.sqrt(middle * 2.0 / np.pi)
    assert known.shift == pytest.approx(shift, abs=3.0 * known.standard / np.sqrt(2000))
    # with the bonus, the diameter's own scatter is in it, 2 σ/√24
    more = 2 * sigma * np.sqrt(2 * middle + ends + (20 / 100) ** 2 * 2 * middle + 1 / 24)
    assert only(sure, "h2").uncertainty.standard == pytest.approx(more, rel=0.05)


def noisy(part, *tolerances, draws):
    """What independent noise of 1 µm leaves unsure."""
    found = judged(part, *tolerances)
    errors = 1e-6 * np.random.default_rng(4).normal(size=(draws, len(found.deviations), 3))
    return add_uncertainties(found, errors)


def test_a_width_has_the_uncertainty_of_its_sides():
    """A width of two sides of six points has σ·√(1/6 + 1/6)."""
    sure = noisy(slotted(plate()), wide(0.0, 0.1), draws=cases(gate=100, soak=400))
    width = only(sure, "S", "width").uncertainty.standard
    assert width == pytest.approx(1e-6 * np.sqrt(1 / 3), rel=0.15)


@pytest.mark.soak
def test_a_value_to_common_datums_has_the_uncertainty_of_them_all():
    """A slot half way between B and C, 24 points each, seen from both.

    Its median plane, 12 points, has σ/√12 in y and the pair σ·√(2/48); what its far points see of
    turns is small beside that.
    """
    spec = ToleranceSpec(feature="S", kind="position", value=0.3 * MM, datums=system("A", "B-C"))
    part = slotted(plate(["B", "C"]), at=(50.0, 0.0), off=0.1)
    place = only(noisy(part, spec, draws=400), "S").uncertainty.standard
    assert place == pytest.approx(2 * 1e-6 * np.sqrt(1 / 12 + 2 / 48), rel=0.25)
