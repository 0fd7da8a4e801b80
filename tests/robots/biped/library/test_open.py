"""Bipeds by name or path: feet, standing pose, stops, drives and the checks that use them."""

import numpy as np
import pytest

from robots.biped.biped_file import biped_names, open_biped, open_drives, text_of
from robots.core.errors import RobotFileError
from robots.core.model import Model


def test_the_library_holds_the_robot_and_its_leg():
    assert set(biped_names()) >= {"bip-leg", "bip2000"}
    assert text_of("bip2000").startswith("# ")


def soles(biped):
    """Corners of every sole in the world while the robot stands. # name: (k, 3)."""
    T = Model(biped.mechanism).transforms(biped.q_standing)
    found = {}
    for foot in biped.feet:
        link = np.eye(4) if not foot.link else T[biped.mechanism.index(foot.link)]
        pose = biped.T_world_base @ link
        found[foot.name] = foot.sole @ pose[:3, :3].T + pose[:3, 3]
    return found


@pytest.mark.parametrize(
    ("name", "middle"), [("bip-leg", {"left": 0.0}), ("bip2000", {"right": -0.11, "left": 0.11})]
)
def test_soles_are_the_trapezoid_flat_on_the_ground(name, middle):
    shape = [[0.17, -0.09, 0], [0.17, 0.09, 0], [-0.12, 0.06, 0], [-0.12, -0.06, 0]]
    found = soles(open_biped(name))
    assert found.keys() == middle.keys()
    for foot, y in middle.items():
        assert np.allclose(found[foot], np.add(shape, [0, y, 0]), atol=1e-15)


@pytest.mark.parametrize(
    ("name", "forward", "backward"), [("bip-leg", 17.9, 9.3), ("bip2000", 10.75, 5.55)]
)
def test_rigid_tip_angles(name, forward, backward):
    """Published to 0.1° and 0.01°: tilt until the centre of mass is over toe or heel."""
    biped = open_biped(name)
    com = Model(biped.mechanism).center_of_mass(biped.q_standing)
    x, _, z = biped.T_world_base[:3, :3] @ com + biped.T_world_base[:3, 3]
    digit = 0.05 if name == "bip-leg" else 0.006
    assert np.degrees(np.arctan2(0.17 - x, z)) == pytest.approx(forward, abs=digit)
    assert np.degrees(np.arctan2(x + 0.12, z)) == pytest.approx(backward, abs=digit)


@pytest.mark.parametrize("name", ["bip-leg", "bip2000"])
def test_simulation_stops_stand_beside_the_transmissions_ranges(name):
    biped = open_biped(name)
    q3 = [joint.name for joint in biped.mechanism.movable].index("q3")
    assert biped.q_stops[:, q3] == pytest.approx([0.11, 1.41])
    assert biped.mechanism.q_max[q3] == pytest.approx(np.pi / 2)
    ankle = [joint.name for joint in biped.mechanism.movable].index("q2")
    assert np.degrees(biped.q_stops[:, ankle]) == pytest.approx([-45, 45])


def test_rotor_inertia_at_zero_is_the_published_one():
    """0.2423, 0.6005, 0.2400, 0.6463 kg m² for q1 … q4, to the digits printed."""
    drives = open_drives("bip2000")
    found = dict(zip(drives.joints, np.diag(drives.reflected_inertia(np.zeros(15))), strict=True))
    published = {"q1": 0.2423, "q2": 0.6005, "q3": 0.2400, "q4": 0.6463}
    for joint, value in published.items():
        assert found[joint] == pytest.approx(value, abs=5e-5)
        assert found[f"q{int(joint[1]) + 4}"] == pytest.approx(value, abs=5e-5)
    for joint in open_biped("bip2000").mechanism.movable:
        if joint.motor_inertia:  # in the robot file, because it is the same in every posture
            assert found[joint.name] == pytest.approx(joint.motor_inertia, rel=1e-9)


def test_the_legs_drives_are_the_robots():
    leg, robot = open_drives("bip-leg"), open_drives("bip2000")
    q = np.radians([3.0, -10.0, 40.0, -30.0])
    whole = np.zeros(15)
    places = [robot.joints.index(f"q{k}") for k in (5, 6, 7, 8)]
    whole[places] = q
    motors = [robot.motors.index(f"m{k}") for k in (5, 6, 7, 8)]
    assert np.array_equal(robot.motor_position(whole)[motors], leg.motor_position(q))
    assert leg.encoder_counts == 4096


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("bip200", "There is no library biped 'bip200'; did you mean 'bip2000'?"),
        ("", "There is no library biped ''"),
        ("missing.toml", "missing.toml: the file cannot be read"),
    ],
)
def test_what_is_no_biped_is_told(given, words):
    for opener in (open_biped, open_drives):
        with pytest.raises(RobotFileError) as told:
            opener(given)
        assert words in str(told.value)


def test_a_path_opens_a_file_and_the_robot_file_beside_it(tmp_path):
    from robots.library import text_of as robot_text

    (tmp_path / "my-leg.toml").write_text(robot_text("bip-leg"), encoding="utf-8")
    mine = text_of("bip-leg").replace('robot = "bip-leg"', 'robot = "my-leg.toml"')
    path = tmp_path / "mine.toml"
    path.write_text(mine, encoding="utf-8")
    assert open_biped(str(path)).mechanism.dof == 4
    assert open_drives(str(path)).joints == ("q1", "q2", "q3", "q4")
