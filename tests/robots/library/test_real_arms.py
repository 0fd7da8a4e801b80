"""The library's real arms against what their makers publish: tables, drawings, reach, zeros."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from planner.findings import Severity
from planner.findings.robot_audit import audit
from robots.core.joint_samples import joint_samples
from robots.core.mechanism import Mechanism
from robots.core.model import Model
from robots.core.pose import make_pose
from robots.core.self_pairs import self_clearances, unwatched_pairs
from robots.core.workspace import axis_reach
from robots.library import document_of, load, maker_of, names, text_of
from tests.cases import SOAK, some

ARMS = tuple(name for name in names() if maker_of(name))
# Four of different makers and all in the soak: what is computed is the same law for all of them.
FIRST = tuple({maker_of(name): name for name in reversed(ARMS)}.values())
COMPUTED = ARMS if SOAK else some(FIRST, gate=4)
EXACT = 1e-12  # [m]; a dozen products of entries up to two
POSTURES = np.random.default_rng(19).uniform(-math.pi, math.pi, (20, 7))


@cache
def arm(name: str) -> Mechanism:
    return load(name)


@cache
def model(name: str) -> Model:
    return Model(arm(name), engine="numpy")


def posture(*degrees: float) -> np.ndarray:
    return np.radians(np.array(degrees))


# --- each file -----------------------------------------------------------------------------------


def test_there_are_enough_arms_of_enough_makers():
    assert len(ARMS) >= 25
    assert len({maker_of(name) for name in ARMS}) >= 8


def test_the_documentation_lists_all_of_them():
    page = Path(__file__).resolve().parents[3] / "docs" / "robot-library.md"
    text = page.read_text(encoding="utf-8")
    assert [name for name in ARMS if f"| `{name}` |" not in text] == []


@pytest.mark.parametrize("name", ARMS)
def test_every_number_has_its_source_beside_it(name):
    text = text_of(name)
    assert text.startswith("# ")
    assert arm(name).name == name
    numbers = re.findall(r"^(?!format|name|source|joint|axes)\w+ = [\[{]?.*\d.*$", text, re.M)
    assert len(numbers) > 40
    assert [line for line in numbers if "#" not in line] == []
    keys = set(re.findall(r"# (\[[A-Z]\])", "\n".join(numbers)))
    assert keys == {f"[{key}]" for key in re.findall(r"^# \[([A-Z])\] ", text, re.M)} - (
        {"[D]"} - keys
    )


@pytest.mark.parametrize("name", COMPUTED)
def test_the_audit_has_no_errors_and_limits_are_sane(name):
    found = {(finding.code, finding.severity) for finding in audit(arm(name))}
    assert {severity for _, severity in found} <= {Severity.WARNING, Severity.NOTE}
    missing = {"R102", "R103", "R105", "R106"}  # limits, a singular mass matrix, unread shapes
    assert {code for code, _ in found} & missing == set()
    mechanism = arm(name)
    turning = np.array([joint.kind.angular for joint in mechanism.movable])
    assert (mechanism.q_max - mechanism.q_min > np.where(turning, np.radians(120), 0.2)).all()
    assert (np.maximum(abs(mechanism.q_min), abs(mechanism.q_max)) <= np.radians(400)).all()
    assert ((mechanism.max_speed > 1.0) & (mechanism.max_speed < 26.0)).all()
    assert ((mechanism.max_acceleration > 3.0) & (mechanism.max_acceleration < 110.0)).all()


@pytest.mark.parametrize("name", ARMS)
def test_accelerations_are_the_maker_s_or_said_to_be_ours(name):
    """Assumed ones reach the rated speed in 0.25 s."""
    lines = [x for x in text_of(name).splitlines() if x.startswith("max_acceleration")]
    assert len(lines) == arm(name).dof
    if any("assumed by Palpeur" in line for line in lines):
        assert all("assumed by Palpeur" in line for line in lines)
        assert arm(name).max_acceleration / arm(name).max_speed == pytest.approx(4.0, rel=2e-3)


@pytest.mark.parametrize("name", ARMS)
def test_masses_are_all_there_or_none(name):
    has_mass = [joint.body.mass > 0.0 for joint in arm(name).movable]
    assert has_mass == [arm(name).masses_known] * arm(name).dof
    assert ("MASSES are not published" in text_of(name)) is not arm(name).masses_known


# --- tables that makers publish ------------------------------------------------------------------

# Universal Robots, "DH parameters for calculations of kinematics and dynamics": a2, a3, d1, d4, d5,
# d6 [m], then mass [kg] and centre of mass [m] in the table's frames, link by link.
UNIVERSAL = {
    "ur3e": (
        (-0.24355, -0.2132, 0.15185, 0.13105, 0.08535, 0.0921),
        (1.98, 3.4445, 1.437, 0.871, 0.805, 0.261),
        ((0, -0.02, 0), (0.13, 0, 0.1157), (0.05, 0, 0.0238), (0, 0, 0.01), (0, 0, 0.01)),
        (0, 0, -0.02),
    ),
    "ur5e": (
        (-0.425, -0.3922, 0.1625, 0.1333, 0.0997, 0.0996),
        (3.761, 8.058, 2.846, 1.37, 1.3, 0.365),
        (
            (0, -0.02561, 0.00193),
            (0.2125, 0, 0.11336),
            (0.15, 0, 0.0265),
            (0, -0.0018, 0.01634),
            (0, 0.0018, 0.01634),
        ),
        (0, 0, -0.001159),
    ),
    "ur10e": (
        (-0.6127, -0.57155, 0.1807, 0.17415, 0.11985, 0.11655),
        (7.369, 13.051, 3.989, 2.1, 1.98, 0.615),
        (
            (0.021, 0, 0.027),
            (0.38, 0, 0.158),
            (0.24, 0, 0.068),
            (0, 0.007, 0.018),
            (0, 0.007, 0.018),
        ),
        (0, 0, -0.026),
    ),
}


def standard_frames(q, rows):
    """Frames 1 to n of a standard Denavit-Hartenberg table of (theta, d, a, alpha), base frame."""
    T, found = np.eye(4), []
    for value, (theta, d, a, alpha) in zip(q, rows, strict=True):
        c, s, ca, sa = (
            math.cos(value + theta),
            math.sin(value + theta),
            math.cos(alpha),
            math.sin(alpha),
        )
        row = [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d]]
        T = T @ np.array([*row, [0, 0, 0, 1]])
        found.append(T)
    return found


def universal_rows(a2, a3, d1, d4, d5, d6):
    half = math.pi / 2
    return (
        *((0, d1, 0, half), (0, 0, a2, 0), (0, 0, a3, 0)),
        *((0, d4, 0, half), (0, d5, 0, -half), (0, d6, 0, 0)),
    )


@pytest.mark.parametrize("name", sorted(UNIVERSAL))
def test_universal_robots_by_their_table(name):
    rows = universal_rows(*UNIVERSAL[name][0])
    for q in POSTURES[:, :6]:
        published = standard_frames(q, rows)[-1]
        assert np.abs(model(name).forward(q) - published).max() < EXACT


@pytest.mark.parametrize("name", ["ur3e", "ur5e"])
def test_universal_robots_weigh_on_their_joints_as_published(name):
    """Gravity torques: slope of the potential energy of the published centres of mass."""
    lengths, masses, centres, last = UNIVERSAL[name]
    rows = universal_rows(*lengths)

    def energy(q):
        frames = standard_frames(q, rows)
        points = [T @ (*c, 1.0) for T, c in zip(frames, (*centres, last), strict=True)]
        return 9.81 * sum(m * p[2] for m, p in zip(masses, points, strict=True))

    step = 1e-4
    for q in POSTURES[:3, :6]:
        slope = [(energy(q + e) - energy(q - e)) / (2 * step) for e in step * np.eye(6)]
        # Fourth power of the step, and digits lost by the difference.
        assert model(name).gravity_torques(q) == pytest.approx(slope, abs=1e-6)


def test_the_ur10e_s_published_table_has_one_centre_of_mass_that_the_description_turns():
    """Link 4: +0.007 along y of the table's frame is +z of joint 4, as in the description."""
    joint = arm("ur10e").joints[3]
    assert joint.body.com == pytest.approx([0, -0.018, 0.007])


def test_ufactory_s_xarm_6_by_its_table():
    """docs.ufactory.cc, xArm 6, standard table; a2 from 284.5 and 53.5 mm, which it stands for."""
    a2, offset = math.hypot(0.2845, 0.0535), -math.atan2(284.5, 53.5)
    half = math.pi / 2
    rows = (
        *((0, 0.267, 0, -half), (offset, 0, a2, 0), (-offset, 0, 0.0775, -half)),
        *((0, 0.3425, 0, half), (0, 0, 0.076, -half), (0, 0.097, 0, 0)),
    )
    for q in POSTURES[:, :6]:
        published = standard_frames(q, rows)[-1]
        assert np.abs(model("ufactory-xarm6").forward(q) - published).max() < EXACT


@pytest.mark.parametrize("name", ["franka-panda", "franka-fr3"])
def test_franka_s_arms_by_their_table(name):
    """Franka control interface documentation: Craig's parameters a, d, alpha, flange 0.107."""
    half = math.pi / 2
    table = (
        *((0, 0.333, 0), (0, 0, -half), (0, 0.316, half), (0.0825, 0, half)),
        *((-0.0825, 0.384, -half), (0, 0, half), (0.088, 0, half)),
    )
    for q in POSTURES:
        T = np.eye(4)
        for value, (a, d, alpha) in zip(q, table, strict=True):
            c, s, ca, sa = math.cos(value), math.sin(value), math.cos(alpha), math.sin(alpha)
            row = [[c, -s, 0, a], [s * ca, c * ca, -sa, -d * sa], [s * sa, c * sa, ca, d * ca]]
            T = T @ np.array([*row, [0, 0, 0, 1]])
        flange = T @ make_pose(None, [0, 0, 0.107])
        assert np.abs(model(name).forward(q) - flange).max() < EXACT


# --- drawings: the flange at known postures ------------------------------------------------------

UP, FORWARD, LEFT, DOWN = (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, -1)
# Dimensions of the makers' drawings, added up; posture [deg], x, y, z [mm], z of the flange.
DRAWN = [
    ("kuka-kr6-r700-sixx", (0, 0, 0, 0, 0, 0), (25 + 315 + 365 + 80, 0, 400 + 35), FORWARD),
    ("kuka-kr6-r700-sixx", (0, -90, 90, 0, 0, 0), (25 + 365 + 80, 0, 400 + 315 + 35), FORWARD),
    ("kuka-kr6-r700-sixx", (-90, -90, 90, 0, 90, 0), (0, 25 + 365, 750 - 80), DOWN),
    ("kuka-kr10-r1100-sixx", (0, -90, 90, 0, 0, 0), (25 + 515 + 80, 0, 400 + 560 + 35), FORWARD),
    ("kuka-iiwa-7-r800", (0,) * 7, (0, 0, 340 + 400 + 400 + 126), UP),
    ("kuka-iiwa-7-r800", (0, 90, 0, 0, 0, 0, 0), (400 + 400 + 126, 0, 340), FORWARD),
    ("kuka-iiwa-14-r820", (0,) * 7, (0, 0, 360 + 420 + 400 + 126), UP),
    ("kuka-iiwa-14-r820", (0, 0, 0, -90, 0, 0, 0), (400 + 126, 0, 360 + 420), FORWARD),
    ("abb-irb-120", (0, 0, 0, 0, 0, 0), (302 + 72, 0, 290 + 270 + 70), FORWARD),
    ("abb-irb-120", (90, 0, 0, 0, 90, 0), (0, 302, 630 - 72), DOWN),
    ("abb-irb-1200-5", (0, 0, 0, 0, 0, 0), (451 + 82, 0, 399.1 + 448 + 42), FORWARD),
    ("abb-irb-1200-7", (0, 0, 0, 0, 0, 0), (351 + 82, 0, 399.1 + 350 + 42), FORWARD),
    ("abb-irb-2400", (0, 0, 0, 0, 0, 0), (100 + 755 + 85, 0, 615 + 705 + 135), FORWARD),
    ("abb-irb-2600", (0, 0, 0, 0, 0, 0), (150 + 795 + 85, 0, 445 + 700 + 115), FORWARD),
    ("abb-crb-15000-5", (0, 0, 0, 0, 0, 0), (470 + 101, 0, 265 + 444 + 110 + 80), FORWARD),
    ("fanuc-crx-10ia", (0, 0, 0, 0, 0, 0), (540 + 160, -150, 245 + 540), FORWARD),
    ("fanuc-crx-10ia", (0, 0, 0, 0, -90, 0), (540, -150, 245 + 540 - 160), DOWN),
    ("fanuc-lrmate-200id", (0, 0, 0, 0, 0, 0), (50 + 335 + 80, 0, 330 + 330 + 35), FORWARD),
    ("fanuc-lrmate-200id", (0, 0, 0, 0, -90, 0), (50 + 335, 0, 695 - 80), DOWN),
    ("fanuc-lrmate-200id-7l", (0, 0, 0, 0, 0, 0), (50 + 420 + 80, 0, 330 + 440 + 35), FORWARD),
    ("fanuc-m10ia", (0, 0, 0, 0, 0, 0), (150 + 640 + 100, 0, 450 + 600 + 200), FORWARD),
    ("staubli-tx2-60", (0, 0, 0, 0, 0, 0), (0, 20, 375 + 290 + 310 + 70), UP),
    ("staubli-tx2-60", (0, 0, 90, 0, 0, 0), (310 + 70, 20, 375 + 290), FORWARD),
    ("staubli-tx2-60l", (0, 0, 0, 0, 0, 0), (0, 20, 375 + 400 + 450 + 70), UP),
    ("staubli-tx2-90", (0, 0, 0, 0, 0, 0), (50, 50, 478 + 425 + 425 + 100), UP),
    ("staubli-rx160", (0, 0, 90, 0, 90, 0), (150 + 625, 0, 550 + 825 - 110), DOWN),
    ("yaskawa-gp7", (0, 0, 0, 0, 0, 0), (40 + 440 + 80, 0, 330 + 445 + 40), FORWARD),
    ("yaskawa-gp7", (0, 0, 0, 0, -90, 0), (40 + 440, 0, 815 - 80), DOWN),
    ("yaskawa-gp8", (0, 0, 0, 0, 0, 0), (40 + 340 + 80, 0, 330 + 345 + 40), FORWARD),
    ("denso-vs060", (0, 0, 90, 0, 0, 0), (300 + 70, 0, 345 + 305 + 10), FORWARD),
    ("denso-hsr065", (0, 0, 0, 0), (375 + 275, 0, 0), DOWN),
    ("denso-hsr065", (90, -90, 0, 30), (275, 375, 0), DOWN),
    ("ufactory-xarm6", (0, 0, 0, 0, 0, 0), (53.5 + 77.5 + 76, 0, 267 + 284.5 - 342.5 - 97), DOWN),
    ("ufactory-xarm7", (0,) * 7, (52.5 + 77.5 + 76, 0, 267 + 293 - 342.5 - 97), DOWN),
    ("ufactory-lite6", (0,) * 6, (87, 0, 243.5 + 200.2 - 227.61 - 62.5), DOWN),
]


@pytest.mark.parametrize(("name", "degrees", "position", "axis"), DRAWN)
def test_the_flange_stands_where_the_drawing_has_it(name, degrees, position, axis):
    T = model(name).forward(posture(*degrees))
    assert T[:3, 3] == pytest.approx(1e-3 * np.array(position), abs=EXACT)
    assert T[:3, 2] == pytest.approx(axis, abs=EXACT)


def test_rapid_s_tool0_of_the_irb_120_at_zero():
    """Quaternion [0.7071, 0, 0.7071, 0]: half of a right angle about y, z forward, x down."""
    assert model("abb-irb-120").forward(np.zeros(6))[:3, 0] == pytest.approx(DOWN, abs=EXACT)


def test_fanuc_s_faceplate_at_zero():
    """W, P, R = 180, -90, 0: z forward, x up."""
    assert model("fanuc-lrmate-200id").forward(np.zeros(6))[:3, 0] == pytest.approx(UP, abs=EXACT)


# Reach of data sheets [mm]: to the wrist centre, or to the flange.
REACH = {
    "kuka-kr6-r700-sixx": 706.7,
    "kuka-kr10-r1100-sixx": 1101,
    "kuka-iiwa-7-r800": 800,
    "kuka-iiwa-14-r820": 820,
    "abb-irb-120": 580,
    "abb-irb-1200-5": 901,
    "abb-irb-1200-7": 703,
    "abb-irb-2400": 1550,
    "abb-irb-2600": 1653,
    "fanuc-lrmate-200id": 717,
    "fanuc-lrmate-200id-7l": 911,
    "fanuc-m10ia": 1420,
    "yaskawa-gp7": 927,
    "yaskawa-gp8": 727,
    "denso-vs060": 605,
}
FLANGE_REACH = {
    "staubli-tx2-60": 670,
    "staubli-tx2-60l": 920,
    "staubli-tx2-90": 1000,
    "staubli-rx160": 1710,
    "franka-panda": 855,
    "denso-hsr065": 650,
}


@pytest.mark.parametrize("name", [*REACH, *FLANGE_REACH])
def test_the_reach_is_that_of_the_data_sheet(name):
    """Data sheets give it within the ranges of the joints, to the millimetre or to three digits."""
    whole = arm(name)
    wrist = replace(whole, tool=np.eye(4))  # the last frame stands in the wrist's centre
    reach = axis_reach(Model(wrist if name in REACH else whole, engine="numpy"))
    assert 1e3 * reach == pytest.approx((REACH | FLANGE_REACH)[name], abs=3.5)


# --- shapes --------------------------------------------------------------------------------------

# Forearm level, flange down: by maker, or by arm where a maker's arms differ. [deg]
WORKING = {
    "ABB": (0, 0, 0, 0, 90, 0),
    "DENSO": (0, 0, 90, 0, 90, 0),
    "FANUC": (0, 0, 0, 0, -90, 0),
    "Franka": (0, -45, 0, -135, 0, 90, 45),
    "KUKA": (0, -90, 90, 0, 90, 0),
    "Stäubli": (0, 0, 90, 0, 90, 0),
    "Universal Robots": (0, -90, 90, -90, -90, 0),
    "Yaskawa": (0, 0, 0, 0, -90, 0),
    "denso-hsr065": (30, 60, 0, 0),
    "kuka-iiwa-7-r800": (0, 30, 0, -90, 0, 60, 0),
    "kuka-iiwa-14-r820": (0, 30, 0, -90, 0, 60, 0),
    "ufactory-xarm6": (0, -30, -30, 0, 60, 0),
    "ufactory-xarm7": (0, -30, 0, 30, 0, 60, 0),
    "ufactory-lite6": (0, 20, 60, 0, 40, 0),
    "yaskawa-hc10": (0, 0, 90, 0, -90, 0),
}


@pytest.mark.parametrize("name", COMPUTED)
def test_an_arm_at_work_points_down_and_is_free_of_itself(name):
    """By 10 mm; wrists are built 6 to 10 mm apart from the forearms that carry them."""
    mechanism = arm(name)
    q = posture(*WORKING.get(name, WORKING.get(maker_of(name), ())))
    assert model(name).forward(q)[:3, 2] == pytest.approx(DOWN, abs=EXACT)
    gaps = self_clearances(mechanism, mechanism.self_pairs, q[None], required=0.01)[0]
    wrist = {mechanism.dof - 3, mechanism.dof - 1}
    for pair, gap in zip(mechanism.self_pairs, gaps, strict=True):
        carriers = {mechanism.capsules[one].joint for one in pair}
        assert gap > (0.002 if carriers == wrist else 0.01)


# Flanges that stand in the convex hulls of the forked forearms.
OPEN = {name: [("link 4", "link 6")] for name in ("abb-irb-2400", "abb-irb-2600")}
BARE = {"denso-hsr065": {3}}  # the shaft, which joint 4 turns, is joint 3's


@pytest.mark.parametrize("name", COMPUTED)
def test_every_link_has_a_shape_and_most_postures_are_free(name):
    mechanism = arm(name)
    carriers = {capsule.joint for capsule in mechanism.capsules}
    assert carriers == set(range(-1, mechanism.dof)) - BARE.get(name, set())
    spread = joint_samples(mechanism, 256, slide=1.0)
    touching = (self_clearances(mechanism, mechanism.self_pairs, spread) < 0.0).any(axis=1)
    # The published meshes of the M-10iA meet as well, forearm and flange in 29 % of all postures.
    assert touching.mean() < (0.6 if name == "fanuc-m10ia" else 0.5)


@pytest.mark.parametrize("name", ARMS)
def test_every_link_has_a_piece_and_little_contact_is_left_open(name):
    assert all(len(capsule.corners) for capsule in arm(name).capsules)
    open_pairs = {
        frozenset((one.a, one.b)) for one in unwatched_pairs(arm(name)) if one.reason.open
    }
    assert open_pairs == {frozenset(pair) for pair in OPEN.get(name, ())}


# --- controllers ---------------------------------------------------------------------------------


def controller(name):
    found = arm(name).controller
    assert found is not None
    return found


@pytest.mark.parametrize("name", ARMS)
def test_controllers_count_the_joints_in_order(name):
    if "controller" not in document_of(name):
        assert arm(name).controller is None
        return
    assert controller(name).axes == tuple(joint.name for joint in arm(name).movable)
    q = np.radians(np.arange(arm(name).dof))
    assert controller(name).from_controller(controller(name).to_controller(q)) == pytest.approx(q)


@pytest.mark.parametrize(
    "name", ["fanuc-lrmate-200id", "fanuc-lrmate-200id-7l", "fanuc-m10ia", "abb-irb-2400"]
)
@pytest.mark.parametrize("second", [-40.0, 0.0, 25.0])
def test_axis_3_at_zero_is_a_level_forearm(name, second):
    """Counted from the horizontal: level whatever axis 2 does."""
    q = controller(name).from_controller(posture(30, second, 0, 0, 0, 0))
    forearm = model(name).transforms(q)[3][:3, 2]  # joint 4 turns about it
    assert abs(forearm[2]) < EXACT


def test_kuka_s_first_axis_turns_clockwise_seen_from_above():
    p = model("kuka-kr6-r700-sixx").forward(posture(10, 0, 0, 0, 0, 0))[:3, 3]
    assert p[1] < 0.0
