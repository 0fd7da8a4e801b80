"""``robot list``, ``show`` and ``check``."""

from __future__ import annotations

import pytest

from robots.library import load, maker_of, names, text_of
from tests.cases import some

# Of the real arms, which tests/robots/library/test_real_arms.py audits, one with masses and one
# without.
SHOWN = [name for name in names() if not maker_of(name) or name in ("franka-fr3", "yaskawa-gp7")]

ONE_JOINT = """\
format = 1
[robot]
name = "one"
[[joint]]
name = "a"
type = "revolute"
min_deg = -10
max_deg = 10
max_speed_rad_s = 1
max_acceleration_rad_s2 = 1
max_torque_nm = 30
"""
BODY = """\
[joint.body]
mass_kg = 1
inertia_kg_m2 = { xx = 1, yy = 1, zz = %s }
at = "com"
"""


def test_the_library_is_listed_by_maker_with_reach(palpeur):
    """Reach of the flange: KUKA's 706.7 mm to the wrist and 80 mm; strokes of a gantry."""
    ran = palpeur("robot", "list")
    assert ran.code == 0
    assert [name for name in names() if name not in ran.out] == []
    listed = {robot["name"]: robot for robot in palpeur("robot", "list", "--json").json["robots"]}
    assert set(listed) == set(names())
    stanford, kuka, gantry = (listed[x] for x in ("stanford", "kuka-kr6-r700-sixx", "gantry-5"))
    assert (stanford["dof"], stanford["joints"]) == (6, "RRPRRR")
    assert stanford["strokes_m"] == [None]
    assert kuka["maker"] == "KUKA"
    assert kuka["reach_m"] == pytest.approx(0.7867, abs=2e-4)
    assert (gantry["maker"], gantry["reach_m"], gantry["strokes_m"]) == (None, None, [1.2, 1, 1.2])
    group = ran.out[ran.out.index("\nKUKA\n") :].partition("\n\n")[0]
    assert "787 mm" in next(line for line in group.splitlines() if "kuka-kr6" in line)


@pytest.mark.parametrize("name", some(SHOWN, gate=4))
def test_every_library_robot_is_shown_and_audited(palpeur, name):
    ran = palpeur("robot", "show", name)
    assert (ran.code, ran.err) == (0, "")
    assert "MRR TABLE" in ran.out
    document = palpeur("robot", "show", name, "--json").json
    assert (document["format"], document["name"]) == (1, name)
    assert len(document["joints"]) >= document["dof"] >= 3
    assert ("torques" in document["operations"]) is load(name).masses_known
    assert palpeur("robot", "check", name).code == 0


def test_liegeois_80_internal_tables(palpeur):
    """[LIEGEOIS80] §4.2: rotations '2', '23', '234' grouped about X; 11 changes of frame."""
    out = palpeur("robot", "show", "liegeois-6r").out
    assert "NUMBER OF DEGREES OF FREEDOM 6" in out
    table = out[out.index("ROTATIONS") : out.index("NUMBER OF CHANGES")]
    for grouped in ("2", "23", "234"):
        assert any(grouped in line.split() for line in table.splitlines())


def test_the_measuring_arm_s_rows_and_limits(palpeur):
    """[LAMMARI12] tables VI.2, VI.3."""
    joints = palpeur("robot", "show", "measuring-arm", "--json").json["joints"]
    rows = [joint["rows"][0] for joint in joints]
    assert [round(row["d_m"], 12) for row in rows] == [0, 0, 1, 0, 0]
    assert [round(row["r_m"], 12) for row in rows] == [0.40982, 0, 0, 1.5139, 0]
    assert [joint["max_acceleration_rad_s2"] for joint in joints] == [28, 28, 28, 25, 25]


def test_the_arm_s_doubtful_bodies_are_warnings(palpeur):
    ran = palpeur("robot", "check", "measuring-arm", "--json")
    assert ran.code == 0
    document = ran.json
    assert document["passed"]
    told = {(finding["code"], finding["severity"]) for finding in document["findings"]}
    assert told == {("R101", "warning"), ("R113", "note")}  # no torque limits are published
    assert palpeur("robot", "check", "measuring-arm", "--strict").code == 1


def test_a_robot_without_mass_or_limits_is_told_what_lacks(palpeur, file):
    bare = file("bare.toml", ONE_JOINT.partition("min_deg")[0])
    ran = palpeur("robot", "check", bare, "--json")
    assert ran.code == 0
    assert [finding["code"] for finding in ran.json["findings"]] == ["R102", "R103", "R104"]
    assert "min_deg, max_deg" in ran.json["findings"][0]["message"]


def test_what_several_joints_lack_is_said_once(palpeur):
    findings = palpeur("robot", "check", "stanford", "--json").json["findings"]
    limits = [finding for finding in findings if finding["code"] == "R103"]
    assert [finding["where"] for finding in limits] == ["q1, q2, q4, q5, q6", "q3"]
    assert "robot.limits.q1, robot.limits.q2" in limits[0]["hint"]


def test_a_sound_robot_has_no_finding(palpeur, file):
    sound = file("sound.toml", ONE_JOINT + BODY % "1.5")
    ran = palpeur("robot", "check", sound, "--strict", "--json")
    assert (ran.code, ran.json["findings"]) == (0, [])


def test_the_triangle_rule_is_a_warning_with_its_reason(palpeur, file):
    path = file("thin.toml", ONE_JOINT + BODY % "2.5")
    ran = palpeur("robot", "check", path)
    assert ran.code == 0
    assert "R101 warning: a:" in ran.out
    assert "triangle rule" in ran.out


def test_a_singular_mass_matrix_is_found(palpeur):
    findings = palpeur("robot", "check", "liegeois-6r", "--json").json["findings"]
    assert "R105" in {finding["code"] for finding in findings}


def test_capsules_and_watched_pairs_are_listed(palpeur):
    document = palpeur("robot", "show", "measuring-arm", "--json").json
    names = [capsule["name"] for capsule in document["capsules"]]
    assert names == ["column", "upper arm", "forearm", "wrist"]
    assert [capsule["joint"] for capsule in document["capsules"]] == [None, "q2", "q3", "q5"]
    assert document["capsules"][2]["to_m"] == [0, -1.42, 0]
    pairs = [["column", "forearm"], ["column", "wrist"], ["upper arm", "wrist"]]
    assert document["self_collision"] == pairs
    out = palpeur("robot", "show", "measuring-arm").out
    assert "watched for touching each other: column and forearm; column and wrist;" in out
    audit = palpeur("robot", "check", "measuring-arm", "--json").json
    assert (audit["capsules"], audit["self_collision"]) == (names, pairs)
    assert "4 capsules, 3 pairs of them watched" in palpeur("robot", "check", "measuring-arm").out


CAPSULE = """\
[[joint.capsule]]
from_mm = [0, 0, %s]
radius_mm = 200
"""


def test_a_pair_that_touches_in_every_posture_is_a_warning(palpeur, file):
    first = ONE_JOINT + BODY % "1.5" + CAPSULE % 0
    second = (
        first[first.index("[[joint]]") :].replace('"a"', '"b"').replace("[0, 0, 0]", "[0, 0, 300]")
    )
    pair = '[robot]\nself_collision = [["a link", "b link"]]'
    path = file("two.toml", (first + second).replace("[robot]", pair))
    findings = palpeur("robot", "check", path, "--json").json["findings"]
    assert [(f["code"], f["where"]) for f in findings] == [("R107", "a link, b link")]
    assert "overlap by 100 mm" in findings[0]["message"]


def test_a_mesh_that_is_not_read_is_a_warning(palpeur, file):
    urdf = (
        '<robot name="m"><link name="a"/><link name="b"><collision><geometry>'
        '<mesh filename="b.stl"/></geometry></collision></link><joint name="j" type="continuous">'
        '<parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>'
    )
    findings = palpeur("robot", "check", file("m.urdf", urdf), "--json").json["findings"]
    assert "R106" in {finding["code"] for finding in findings}


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ((ONE_JOINT, "this is not TOML ="), "not valid TOML"),
        (("max_speed_rad_s", "max_speed_rad"), "max_speed_rad_s expected"),
        (("min_deg = -10", "min_deg = 20"), "above max_deg"),
        (("min_deg = -10", "min_deg = nan"), "a finite number"),
        (('name = "a"', 'name = "a"\nparent = "b"'), "no joint has this name"),
        (('name = "a"', 'name = "a"\nparent = "a"'), "itself"),
        (("format = 1", "format = 2"), "format"),
    ],
)
def test_broken_robot_files_are_bad_input(palpeur, file, change, part):
    path = file("broken.toml", ONE_JOINT.replace(*change))
    for command in ("check", "show"):
        ran = palpeur("robot", command, path)
        assert (ran.code, ran.out) == (2, "")
        assert "broken.toml" in ran.err
        assert part in ran.err


def test_negative_mass_is_bad_input(palpeur, file):
    ran = palpeur(
        "robot", "check", file("b.toml", ONE_JOINT + BODY.replace("= 1\n", "= -1\n", 1) % 1)
    )
    assert (ran.code, ran.out) == (2, "")
    assert "mass_kg" in ran.err


def test_a_robot_that_cannot_move_is_shown(palpeur, file):
    fixed = file(
        "f.toml", 'format = 1\n[robot]\nname = "f"\n[[joint]]\nname = "a"\ntype = "fixed"\n'
    )
    assert palpeur("robot", "show", fixed).code in (0, 2)
    assert palpeur("robot", "check", fixed).code == 0


def test_a_page_is_written_over_its_own_only(palpeur, tmp_path):
    page = tmp_path / "arm.html"
    head = ("robot", "show", "measuring-arm", "--html", page)
    ran = palpeur(*head, "--q=-30,20,30,0,-40")
    assert (ran.code, ran.out) == (0, "")
    assert "--q=-30,20,30,0,-40" in page.read_text(encoding="utf-8")
    refused = palpeur(*head, "--q=-300,20,30,0,-40")
    assert (refused.code, refused.out) == (2, "")
    assert [part for part in ("'q1'", "-300 deg", "limit -180") if part not in refused.err] == []
    assert palpeur(*head).code == 0  # its own file is replaced
    page.write_text("somebody's", encoding="utf-8")
    assert palpeur(*head).code == 2
    assert page.read_text(encoding="utf-8") == "somebody's"


@pytest.mark.parametrize(
    "options", [("--q", "0,0,0,0,0"), ("--html", "x.html", "--json"), ("--html", "")]
)
def test_options_of_the_page_that_do_not_go_together(palpeur, options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = palpeur("robot", "show", "measuring-arm", *options)
    assert (ran.code, ran.out) == (2, "")
    assert "--html" in ran.err
    assert list(tmp_path.iterdir()) == []


def test_masses_that_are_not_known_are_not_zero(palpeur):
    shown = palpeur("robot", "show", "kuka-kr6-r700-sixx").out
    assert shown.partition("MASS DATA")[2].split("\n\n")[1] == "not known"


def test_a_library_robot_as_a_file_keeps_its_maker_and_sources(palpeur):
    assert palpeur("robot", "show", "ur5e", "--as", "toml").out == text_of("ur5e")


def test_masses_are_asked_for_before_states(palpeur):
    ran = palpeur("robot", "lagrange", "kuka-kr6-r700-sixx", "--q", "nonsense")
    assert "Lagrange's coefficients cannot be evaluated, as the masses are not known" in ran.err


def test_a_decimal_comma_among_joint_values_is_told(palpeur):
    for q in ("0,5,1,5,0,0", "0,5;1,5;0,0"):
        assert (
            "Decimals are separated by a point"
            in palpeur("robot", "forward", "planar-3r", "--q", q).err
        )
    assert "Decimals" not in palpeur("robot", "forward", "planar-3r", "--q", "1,2,x").err


def test_readers_see_four_digits_and_no_rounding(palpeur):
    out = palpeur("robot", "forward", "ur5e", "--q", "90,0,0,0,0,0").out
    numbers = [float(cell) for cell in out.splitlines()[-1].split()[1:]]
    assert 0.0 in numbers
    assert all(number == float(f"{number:.4g}") for number in numbers)
    assert min(abs(number) for number in numbers if number) > 1e-9
