"""Tables of Denavit-Hartenberg rows: the PUMA 560 in both conventions is the same arm."""

from __future__ import annotations

import numpy as np
import pytest

from robots.core.errors import RobotFileError
from robots.core.model import Model
from robots.core.robot_import.dh_table import Convention, read_dh_table

# PUMA 560, standard convention. Source: P. I. Corke and B. Armstrong-Hélouvry, "A search for
# consensus among model parameters reported for the PUMA 560 robot", ICRA 1994
STANDARD = """# convention = standard
name,theta_deg,d_mm,a_mm,alpha_deg,min_deg,max_deg
q1,q1,0,0,90,-160,160
q2,,0,431.8,0,-110,110
q3,,150.05,20.3,-90,-135,135
q4,,431.8,0,90,-266,266
q5,,0,0,-90,-100,100
q6,,0,0,0,-266,266
"""
# The same in the modified convention, where alpha and a of a link stand in the next joint's row.
MODIFIED = """name;convention;alpha_deg;a_mm;d_mm;theta_deg;min_deg;max_deg
q1;modified;0;0;0;0;-160;160
q2;;90;0;0;0;-110;110
q3;;0;431.8;150.05;0;-135;135
q4;;-90;20.3;431.8;0;-266;266
q5;;90;0;0;0;-100;100
q6;;-90;0;0;0;-266;266
"""
ROWS = [
    (90.0, 0.0, 0.0), (0.0, 0.4318, 0.0), (-90.0, 0.0203, 0.15005),
    (90.0, 0.0, 0.4318), (-90.0, 0.0, 0.0), (0.0, 0.0, 0.0),
]  # fmt: skip


def paul(q):
    """Product of Rz(theta) Tz(d) Tx(a) Rx(alpha), written out."""
    T = np.eye(4)
    for theta, (alpha, a, d) in zip(q, ROWS, strict=True):
        ca, sa = np.cos(np.radians(alpha)), np.sin(np.radians(alpha))
        c, s = np.cos(theta), np.sin(theta)
        row = [
            [c, -s * ca, s * sa, a * c],
            [s, c * ca, -c * sa, a * s],
            [0, sa, ca, d],
            [0, 0, 0, 1],
        ]
        T = T @ np.array(row)
    return T


def test_both_conventions_are_one_arm():
    standard = read_dh_table(STANDARD, origin="puma.csv")
    modified = read_dh_table(MODIFIED, origin="puma.csv")
    assert (standard.convention, modified.convention) == (Convention.STANDARD, Convention.MODIFIED)
    ours = [Model(table.mechanism, "numpy") for table in (standard, modified)]
    for q in np.random.default_rng(560).uniform(-3, 3, (50, 6)):
        poses = [model.forward(q) for model in ours]
        assert np.abs(poses[0] - paul(q)).max() <= 1e-14
        assert np.abs(poses[1] - paul(q)).max() <= 1e-14
    assert not standard.mechanism.masses_known


def test_the_same_rows_mean_two_arms():
    other = STANDARD.replace("= standard", "= modified")
    tables = [read_dh_table(text).mechanism for text in (STANDARD, other)]
    q = np.full(6, 0.3)
    poses = [Model(mechanism, "numpy").forward(q) for mechanism in tables]
    assert np.abs(poses[0] - poses[1]).max() > 0.1


def test_sliding_and_fixed_rows_offsets_and_drives():
    table = """# Convention: "modified"
type,alpha_deg,a_mm,d_mm,theta_deg,min_mm,max_mm,min_deg,max_deg,max_speed_m_s,max_speed_rad_s,mass_kg,com_z_mm
P,0,0,250,90,0,400,,,0.8,,5,-20
R,0,300,,-30,,,-90,90,,2.5,2,
fixed,0,200,0,0,,,,,,,,
"""
    mechanism = read_dh_table(table, name="scara").mechanism
    slide, turn, end = mechanism.joints
    assert mechanism.name == "scara"
    assert (slide.q_max, slide.max_speed, turn.max_speed) == (0.4, 0.8, 2.5)
    assert slide.placement[2, 3] == 0.25
    assert (slide.body.mass, slide.body.com[2]) == (5.0, -0.02)
    assert mechanism.masses_known
    assert not end.movable
    pose = Model(mechanism, "numpy").forward(np.array([0.1, np.radians(30)]))
    assert pose[:3, 3] == pytest.approx([0.0, 0.5, 0.35], abs=1e-15)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (STANDARD.partition("\n")[2], "does not state its convention"),
        (STANDARD.replace("standard", "usual"), "the convention is 'usual'; expected one of"),
        ("# convention = standard\n" + MODIFIED, "is 'modified' and 'standard'"),
        (STANDARD.replace("d_mm", "r_mm"), "line 2: the column r_mm belongs to robot files"),
        (STANDARD.replace("a_mm", "a_m"), "there is no column 'a_m'; did you mean 'a_mm'"),
        (STANDARD.replace(",a_mm,", ",name,"), "the column 'name' stands twice"),
        (STANDARD.replace("431.8,0,-110", "far,0,-110"), "line 4, column a_mm: 'far' is no finite"),
        (STANDARD.replace("431.8,0,-110", "nan,0,-110"), "line 4, column a_mm: 'nan' is no finite"),
        (STANDARD.replace("q6,,0,0,0", "q6,,0,0,0,0,0,0"), "line 8: 10 cells; the header has 7"),
        ("# convention = standard\na_mm,alpha_deg,d_mm,theta_deg\n", "the table has no rows"),
        (STANDARD.replace("min_deg", "min_mm"), "line 3, column min_mm: does not fit a revolute"),
        ("# convention=standard\ntype,a_mm,alpha_deg,d_mm,theta_deg\nX,1,0,0,0", "no type of"),
        (STANDARD.replace("max_deg", "mass_kg"), "modified convention only"),
        (STANDARD.replace("-160,160", "160,-160"), "min_deg is 160.0, above max_deg = -160.0"),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_its_place(text, words):
    with pytest.raises(RobotFileError) as refused:
        read_dh_table(text, origin="puma.csv")
    assert words in str(refused.value)
    assert str(refused.value).startswith("puma.csv")


def test_columns_without_unit_are_told_with_their_names():
    bare = STANDARD.replace("_deg", "").replace("_mm", "").replace(",min,max", "")
    with pytest.raises(RobotFileError, match="a_mm for a, alpha_deg for alpha, and the numbers"):
        read_dh_table(bare)


def test_a_decimal_comma_in_a_cell_is_told():
    with pytest.raises(RobotFileError, match=r"'431,8' is no finite number. Decimals .*: 431\.8"):
        read_dh_table(MODIFIED.replace("431.8", "431,8"))
