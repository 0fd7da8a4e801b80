"""DMIS: a public programme, the subset, and what lies outside it."""

import re

import numpy as np
import pytest

from parts.errors import PointsError
from parts.points import Compensation, read_points, read_raw_points
from tests.cases import some

HEAD = "DMISMN/'T', 05.2\nUNITS/MM, ANGDEC\n"
TOUCH = "MEAS/PLANE, F(A), 1\nPTMEAS/CART, 1, 2, 3, 0, 0, 1\nENDMES\n"


def read(text, **options):
    return read_raw_points(text.encode(), origin="a.dmi", **options)


def test_the_public_program_of_nist(shared_data):
    found = read_points(shared_data / "simple_in.dms")
    names = [f"A_CIRCLE-{number}" for number in (1, 2, 3, 4)]
    assert list(found.names) == names
    assert set(found.points.features) == {"A_CIRCLE"}
    expected = [[75, 50, 40], [25, 50, 40], [50, 75, 40], [50, 25, 40]]
    assert np.array_equal(found.positions, 0.001 * np.array(expected))
    # A hole of diameter 50 about (50, 50): out of the material is towards its axis.
    assert found.points.normals.tolist() == [[-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0]]
    assert (found.source.notes, found.source.untaken) == ((), ())


def test_both_goto_forms_continuations_and_comments(samples):
    found = read_raw_points(samples["a.dmi"], origin="a.dmi")
    assert found.names == ("PLN1-1", "PLN1-2")
    assert found.positions.tolist() == [[-0.04, -0.02, 0.0305], [0.04, 0.0254, 0.0305]]
    assert found.source.compensation is Compensation.SURFACE
    text = samples["a.dmi"].decode().replace("ENDMES", "$$ a note $\nENDMES $$ 'another")
    assert read(text).positions.tolist() == found.positions.tolist()
    lower = samples["a.dmi"].decode().lower().replace("pln1", "PLN1")
    assert read(lower).positions.tolist() == found.positions.tolist()


@pytest.mark.parametrize(
    ("unit", "metre"), [("MM", 0.001), ("CM", 0.01), ("M", 1.0), ("INCH", 0.0254), ("FEET", 0.3048)]
)
def test_units(unit, metre):
    text = f"UNITS/{unit}, ANGDEC\n{TOUCH}ENDFIL\n"
    assert read(text).positions[0].tolist() == [metre * 1, metre * 2, float(f"{metre * 3:.12g}")]


def test_point_features_that_nothing_measures_are_points():
    text = (
        HEAD
        + "F(P1)=FEAT/POINT,CART,1,2,3,0,0,1\nF(P2)=FEAT/POINT,CART,4,5,6,1,0,0\n"
        + "F(P3)=FEAT/POINT,CART,7,8,9,1,0,0\nFA(P1)=FEAT/POINT,CART,1.1,2,3,0,0,1\n"
        + "MEAS/POINT,F(P2),1\nPTMEAS/CART,4,5,6.5,1,0,0\nENDMES\nCONST/POINT,F(P3),MIDPT,FA(P1)\n"
        + "ENDFIL\nGARBAGE 'after the end\n"
    )
    found = read(text)
    assert found.names == ("P1", "P2-1")
    assert found.positions.tolist() == [[0.001, 0.002, 0.003], [0.004, 0.005, 0.0065]]


def test_what_is_doubtful_is_noted():
    found = read(HEAD + "PRCOMP/OFF\nD(PCS)=TRANS/XORIG,10\n" + TOUCH)
    assert found.source.compensation is Compensation.UNSTATED
    assert found.source.notes == (
        "There is no ENDFIL: the file may be cut short.",
        "PRCOMP/OFF: the file does not say whether its points are centres.",
        "The points stand in the datum system that line 4 sets.",
    )
    assert read(TOUCH, unit="cm").positions.tolist() == [[0.01, 0.02, 0.03]]
    assert read(TOUCH, unit="cm").source.unit_from == "given by you: the file has no UNITS"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TOUCH, "a.dmi, line 2: no UNITS stands before the first point; give it."),
        ("UNITS/ELL\n" + TOUCH, "line 1: found 'ELL'; expected one of MM, CM, M, INCH, FEET."),
        (
            HEAD + "IF/(A .GT. 1)\nUNITS/INCH\nENDIF\n" + TOUCH,
            "line 4: the unit depends on a branch; set it once.",
        ),
        (
            HEAD + TOUCH.replace("ENDMES\n", ""),
            "line 3: MEAS has no ENDMES: the file is cut short.",
        ),
        (HEAD + TOUCH.replace("ENDMES\n", "") + TOUCH, "MEAS stands within that of line 3"),
        (HEAD + TOUCH.replace(" 1\n", " 3\n", 1), "line 3: found 1 PTMEAS for A; expected 3."),
        (HEAD + "PTMEAS/CART,1,2,3,0,0,1\n", "line 3: PTMEAS stands outside MEAS"),
        (HEAD + "ENDMES\n", "line 3: ENDMES stands without MEAS."),
        (HEAD + TOUCH.replace("F(A)", "A"), "found 'A'; expected a feature such as F(PLN1)."),
        (HEAD + TOUCH.replace("CART", "SPH"), "found 'SPH' after PTMEAS; expected CART or POL."),
        (HEAD + TOUCH.replace("3, 0", "3"), "line 4: found 5 coordinates; expected x, y, z, i, j"),
        (HEAD + TOUCH.replace(" 2,", " 2o,"), "line 4, column y: found '2o'; expected a number."),
        (HEAD + TOUCH.replace(" 2,", " NaN,"), "line 4, column y: found 'NaN'; expected a finite"),
        (
            HEAD + TOUCH.replace(" 2,", " VAR,"),
            "a.dmi: there is no point that can be taken from this DMIS file: A, line 4: 1 PTMEAS: "
            "'VAR' is computed on the machine (PTMEAS/CART, 1, VAR, 3, 0, 0, 1).",
        ),
        (
            HEAD + "F(A)=FEAT/PLANE,CART,0,0,0,0,0,1\nMEAS/PLANE,F(A),4\nENDMES\n",
            "from this DMIS file: A, line 4: its block has no PTMEAS (n = 4): the machine would "
            "choose the points (MEAS/PLANE,F(A),4). Give PTMEAS, or lay points out with palpeur",
        ),
        (HEAD + TOUCH.replace("0, 1", "0, 0"), "line 4, column nx, ny, nz: point 'A-1': its norm"),
        (
            HEAD + "DO/I,1,3\n" + TOUCH + "ENDDO\n",
            "A, line 5: 1 PTMEAS: it stands within DO of line 3: how often it is run is known on "
            "the machine only (PTMEAS/CART, 1, 2, 3, 0, 0, 1).",
        ),
        (HEAD + "MEAS/PLANE, $\n", "line 3: the last line is continued by $, but nothing follows"),
        (HEAD + "TEXT/OPER,'never\n", 'line 3: the text in quotes does not end: "TEXT/OPER'),
        (HEAD, "a.dmi: there is no point in this DMIS file."),
        (
            HEAD + "A $\n" * 40_000,
            "line 3: the statement has more than 65536 characters; raise it with ",
        ),
    ],
)
def test_bad_programmes(text, message):
    with pytest.raises(PointsError, match=re.escape(message)):
        read(text)


CAST = "MEAS/POINT, F({name}), 1\nPTMEAS/CART, {x}, {y}, {z}, {i}, {j}, {k}\nENDMES\n"


def touch(name, position=(1, 2, 3), normal=(0, 0, 1)):
    (x, y, z), (i, j, k) = position, normal
    return CAST.format(name=name, x=x, y=y, z=z, i=i, j=j, k=k)


def lost(found):
    return {one.name: one for one in found.source.untaken if one.lost}


def test_a_real_programme_with_its_alignment(shared_data):
    """Its last datum system is its first one turned by 180 degrees about Z: found by hand.

    CALN1 starts in the corner (-86, -52, 30) of PARTX, X along the front edge, is turned by -180
    degrees and then moved by (-86, -52, -30) along its own axes: back to the origin of PARTX.
    """
    raw = (shared_data / "real" / "IMTS_M_clean.dmi").read_bytes()
    found = read_raw_points(raw, origin="imts.dmi")
    assert len(found) == 28
    assert np.allclose(1e3 * found.positions[0], [43, -15, 30], atol=1e-12)
    row = found.names.index("PLN2-1")
    assert np.allclose(1e3 * found.positions[row], [-19, 52, 23], atol=1e-12)
    assert np.allclose(found.points.normals[row], [0, 1, 0], atol=1e-15)
    assert found.positions[found.names.index("CYL1-1")].tolist() == [0, -0.0155, 0.023]
    assert found.source.notes == (
        "The points are given in D(CALN1) of line 104, in which 16 of them stand; the other 12 "
        "were brought there by the nominal datum systems.",
    )
    assert [(one.name, one.lost) for one in found.source.untaken] == [
        ("CLIN1", False),
        ("CPNT1", False),
    ]


def test_systems_by_hand():
    """A translation in its own axes after a turn: (x, y, z) of the machine is R'(p - t)."""
    text = (
        HEAD + touch("A", (10, 20, 5), (1, 0, 0)) + "D(S1)=TRANS/XORIG,100,YORIG,50\n"
        "D(S2)=ROTATE/ZAXIS,90\nD(S3)=TRANS/XORIG,7\n" + touch("B") + touch("C") + "ENDFIL\n"
    )
    found = read(text)
    # Origin (100, 50) + 7 along the new X, which is the machine's Y: (100, 57, 0). X' = Y, Y' = -X.
    assert np.allclose(1e3 * found.positions[0], [20 - 57, -(10 - 100), 5], atol=1e-12)
    assert found.points.normals[0].tolist() == [0, -1, 0]
    assert found.positions[1].tolist() == [0.001, 0.002, 0.003]


@pytest.mark.parametrize("seed", some(range(8), gate=4))
def test_chains_of_systems_agree_with_an_independent_composition(seed):
    from scipy.spatial.transform import Rotation

    rng = np.random.default_rng(seed)
    text, turn, origin = "UNITS/INCH, ANGDMS\nD(M)=DATSET/MCS\n", Rotation.identity(), np.zeros(3)
    spots = []
    for step in range(12):
        axis = int(rng.integers(3))
        if rng.random() < 0.5:
            degrees, minutes = int(rng.integers(-179, 180)), int(rng.integers(60))
            sign = -1 if degrees < 0 else 1
            text += f"D(S{step})=ROTATE/{'XYZ'[axis]}AXIS,{degrees}:{minutes}:30\n"
            angle = degrees + sign * (minutes / 60 + 30 / 3600)
            turn *= Rotation.from_euler("XYZ"[axis], angle, degrees=True)
        else:
            value = round(float(rng.uniform(-9, 9)), 3)
            text += f"D(S{step})=TRANS/{'XYZ'[axis]}ORIG,{value}\nSAVE/D(S{step})\n"
            origin = origin + turn.apply(0.0254 * value * np.eye(3)[axis])
        position, normal = rng.uniform(-9, 9, 3).round(4), rng.normal(size=3).round(6)
        text += touch(f"P{step}", position, normal)
        spots.append((turn, origin, 0.0254 * position, normal / np.linalg.norm(normal)))
    found = read(text + "ENDFIL\n")
    last, zero, *_ = spots[-1]
    for row, (turn, origin, position, normal) in enumerate(spots):
        world = turn.apply(position) + origin
        assert np.allclose(found.positions[row], last.inv().apply(world - zero), atol=1e-13)
        assert np.allclose(found.points.normals[row], last.inv().apply(turn.apply(normal)))


@pytest.mark.parametrize("seed", some(range(6), gate=3))
def test_a_part_as_drawn_is_aligned_to_its_own_axes(seed):
    """3-2-1 on tilted planes: whoever knows the part's pose needs no datum to say the same."""
    from scipy.spatial.transform import Rotation

    rng = np.random.default_rng(seed)
    pose, corner = Rotation.random(random_state=seed), rng.uniform(-50, 50, 3)

    def feature(name, place, vector):
        place = (pose.apply(place) + corner).tolist()
        numbers = ",".join(f"{v:.15g}" for v in (*place, *pose.apply(vector)))
        return f"F({name})=FEAT/PLANE,CART,{numbers}\n" + touch(name, place, pose.apply(vector))

    text = HEAD + feature("A", (30, 20, 0), (0, 0, 1)) + feature("B", (30, 0, -9), (0, -1, 0))
    text += feature("C", (0, 20, -9), (-1, 0, 0))
    text += "DATDEF/FA(A),DAT(A)\nDATDEF/FA(B),DAT(B)\nDATDEF/FA(C),DAT(C)\n"
    chains = (
        "D(P)=DATSET/DAT(A),ZDIR,ZORIG,DAT(B),-YDIR,YORIG,DAT(C),XORIG\n",
        "D(Q)=DATSET/DAT(A),ZDIR,ZORIG\nD(R)=ROTATE/ZAXIS,FA(C),-XDIR\n"
        "D(P)=TRANS/XORIG,FA(C),YORIG,FA(B)\n",
    )
    for chain in chains:
        found = read(text + chain + touch("E") + touch("G") + touch("H") + touch("I") + "ENDFIL\n")
        expected = [[30, 20, 0], [30, 0, -9], [0, 20, -9], [1, 2, 3]]
        assert np.allclose(1e3 * found.positions[:4], expected, atol=1e-9)
        assert np.allclose(found.points.normals[1], [0, -1, 0], atol=1e-12)
        assert not lost(found)


def test_holes_as_datums():
    """Origin in a bore, X from it to a second one: places, not axes, give the direction."""
    text = (
        HEAD + "F(T)=FEAT/PLANE,CART,0,0,10,0,0,1\nF(B1)=FEAT/CYLNDR,INNER,CART,20,10,0,0,0,1,8\n"
        "F(B2)=FEAT/CIRCLE,INNER,CART,20,60,10,0,0,1,8\n"
        + "".join(touch(n, (20, 10, 10)) for n in ("T", "B1", "B2"))
        + "DATDEF/FA(T),DAT(A)\nDATDEF/FA(B1),DAT(B)\nDATDEF/FA(B2),DAT(C)\n"
        "D(P)=DATSET/DAT(A),ZDIR,ZORIG,DAT(B),XORIG,YORIG,DAT(C),XDIR\n" + touch("E") + "ENDFIL\n"
    )
    found = read(text)
    assert np.allclose(1e3 * found.positions, [[0, 0, 0]] * 3 + [[1, 2, 3]], atol=1e-12)


def test_recall_brings_a_system_back():
    text = (
        HEAD
        + "D(P)=TRANS/XORIG,100\n"
        + touch("A")
        + touch("B")
        + "D(Q)=ROTATE/YAXIS,-90\n"
        + touch("C")
        + "RECALL/D(P)\n"
        + touch("D")
        + "RECALL/S(1)\nENDFIL\n"
    )
    found = read(text)
    assert found.positions[[0, 3]].tolist() == [[0.001, 0.002, 0.003]] * 2
    # A turn of -90 about Y: X' = Z, Z' = -X.
    assert np.allclose(1e3 * found.positions[2], [-3, 2, 1])
    assert found.names == ("A-1", "B-1", "C-1", "D-1")


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("D(P)=TRANS/XORIG,FA(UNKNOWN)", "'FA(UNKNOWN)' is not a feature or datum whose nominal"),
        ("D(P)=TRANS/XORIG,SHIFT", "'SHIFT' is not a feature or datum whose nominal is known"),
        ("D(P)=TRANS/XORIG,FA(P1),PRBRAD", "'PRBRAD' is not an origin that is computed"),
        ("D(P)=ROTATE/ZAXIS,FA(P1),ZDIR", "it does not say which other axis goes along"),
        ("D(P)=DATSET/FA(P1),ZDIR", "P1) (POINT) has no direction of its own"),
        ("D(P)=LOCATE/XYZDIR,MA(M1)", "it fits to features whose nominals are not known"),
        ("RECALL/D(ELSEWHERE)", "D(ELSEWHERE) is not set before"),
        ("IF/(A .GT. B)\nD(P)=TRANS/XORIG,5\nENDIF", "it stands within IF of line 5"),
        ("CALL/EXTERN,DMIS,M(OTHER)", "what another file does to the datum system is not read"),
    ],
)
def test_systems_that_nominals_do_not_determine(statement, why):
    text = HEAD + "F(P1)=FEAT/POINT,CART,1,2,3,0,0,1\n"
    found = read(text + f"$$\n{statement}\n" + touch("B") + touch("C") + touch("D") + "ENDFIL\n")
    assert found.names == ("B-1", "C-1", "D-1")
    assert any(why in note for note in found.source.notes), found.source.notes
    (point,) = [one for one in found.source.untaken if one.name == "P1"]
    assert "whose pose to" in point.reason
    assert "is not known from nominal values" in point.reason
    assert why in point.reason
    assert point.statement in statement.splitlines()
    assert point.line == 4 + statement.splitlines().index(point.statement) + 1


def test_one_direction_leaves_the_turn_about_it_open():
    plane = "F(A)=FEAT/PLANE,CART,0,0,0,1,0,0\nDATDEF/F(A),DAT(A)\nD(P)=DATSET/DAT(A),ZDIR\n"
    found = read(HEAD + touch("B") + plane + touch("C") + touch("D") + "ENDFIL\n")
    assert found.names == ("C-1", "D-1")
    assert lost(found)["B"].line == 8
    assert lost(found)["B"].statement == "D(P)=DATSET/DAT(A),ZDIR"
    assert "leaves the turn about it open" in lost(found)["B"].reason
    settled = plane + "F(L)=FEAT/LINE,UNBND,CART,0,0,0,0,1,0,1,0,0\nD(Q)=ROTATE/ZAXIS,F(L),XDIR\n"
    # F(L) is defined in the open system: a part as drawn does not say where it is.
    assert len(read(HEAD + touch("B") + settled + touch("C") + "ENDFIL\n")) == 1
    before = "F(L)=FEAT/LINE,UNBND,CART,0,0,0,0,1,0,1,0,0\n" + plane
    found = read(HEAD + touch("B") + before + "D(Q)=ROTATE/ZAXIS,F(L),XDIR\n" + touch("C"))
    assert np.allclose(1e3 * found.positions, [[2, 3, 1], [1, 2, 3]])  # X' = Y, Y' = Z, Z' = X


def test_whatever_gives_no_point_is_told_by_name():
    text = (
        HEAD
        + touch("OK")
        + "F(C1)=FEAT/CIRCLE,INNER,CART,0,0,0,0,0,1,8\nMEAS/CIRCLE,F(C1),4\nENDMES\n"
        "F(C2)=FEAT/CIRCLE,INNER,CART,0,0,0,0,0,1,8\n"
        "F(C3)=FEAT/CIRCLE,INNER,CART,0,0,0,0,0,1,8\nMEAS/CIRCLE,F(C3),4\nPAMEAS/DISTANCE,1\n"
        "ENDMES\nF(C4)=FEAT/CIRCLE,INNER,CART,0,0,0,0,0,1,8\nCONST/CIRCLE,F(C4),BF,FA(OK)\n"
        "CALIB/SENS,S(1),FA(BALL),1\nPTMEAS/CART,9,9,9,0,0,1\nENDMES\n"
        "DO/I,1,3\n" + touch("LOOP", ("I*10", 0, 0)) + "ENDDO\n"
        "IF/(X .EQ. 1)\nJUMPTO/(DONE)\nENDIF\n" + touch("JUMPED") + "(DONE)\n"
        "M(MAC)=MACRO/'A'\n" + touch("INMAC") + "ENDMAC\nCALL/M(MAC),'B'\nENDFIL\n"
    )
    found = read(text)
    assert found.names == ("OK-1",)
    told = {one.name: one for one in found.source.untaken}
    assert set(told) == {"C1", "C2", "C3", "C4", "S(1)", "LOOP", "JUMPED", "MAC"}
    assert told["C1"].reason.startswith("its block has no PTMEAS (n = 4)")
    assert told["C2"].reason == "CIRCLE is defined, but no MEAS touches it"
    assert told["C3"].reason == "it is scanned (PAMEAS); there is no PTMEAS"
    assert told["LOOP"].reason.startswith("1 PTMEAS: it stands within DO of line ")
    assert told["JUMPED"].reason.startswith("1 PTMEAS: it stands within the JUMPTO of lines ")
    assert told["MAC"].statement == "CALL/M(MAC),'B'"
    assert [name for name, one in told.items() if not one.lost] == ["C4", "S(1)"]


def test_variables_polar_coordinates_and_numbers():
    text = (
        "UNITS/MM, ANGDEC\nDECL/REAL,H\nH=ASSIGN/10.\nR=ASSIGN/2*(H-.5E1)\n"
        "MEAS/CIRCLE, F(A), 2\nPTMEAS/CART,+.5,-1.,H+2,0,0,1\nPTMEAS/POL,R,30,H,0,0,1\nENDMES\n"
        "WKPLAN/YZPLAN\nMEAS/POINT,F('B'),1\nPTMEAS/POL,10,90,5,1,0,0\nENDMES\nENDFIL\n"
    )
    found = read(text)
    assert found.names == ("A-1", "A-2", "B-1")
    expected = [[0.5, -1, 12], [10 * 3**0.5 / 2, 5, 10], [5, 0, 10]]
    assert np.allclose(1e3 * found.positions, expected, atol=1e-12)


def test_units_may_change_and_names_may_be_latin():
    text = HEAD + "$$ Pr\xfcfplan\n" + touch("A") + "UNITS/INCH\n" + touch("B") + "ENDFIL\n"
    found = read_raw_points(text.encode("latin-1"), origin="a.dmi")
    assert found.positions.tolist() == [[0.001, 0.002, 0.003], [0.0254, 0.0508, 0.0762]]
    assert found.source.unit == "in, mm"
    assert "The text is not UTF-8; it was read as Latin-1." in found.source.notes


def test_a_programme_is_no_measurement():
    """Its nominal points would lie on the surface to the last digit."""
    text = HEAD + touch("A") + "ENDFIL\n"
    assert len(read(text)) == 1
    with pytest.raises(PointsError, match=r"a\.dmi: .* no measured points .* the machine wrote"):
        read(text, choice="measured")
    only = text.replace("ENDFIL", "FA(A)=FEAT/PLANE,CART,1,2,3,0,0,1\nENDFIL")
    with pytest.raises(PointsError, match=r"A, line \d+: the file has its result \(PLANE\)"):
        read(only, choice="measured")


def test_results_of_a_programme():
    text = (
        "UNITS/MM\nFA(P1)=FEAT/POINT,CART,1,2,3.01,0,0,1\n"
        "FA(C)=FEAT/CIRCLE,INNER,CART,0,0,0,0,0,1,8\nENDFIL\n"
    )
    found = read(text, choice="measured")
    assert found.names == ("P1",)
    assert found.positions.tolist() == [[0.001, 0.002, 0.00301]]
    assert found.source.compensation is Compensation.NOMINAL
    assert lost(found)["C"].reason.startswith("the file has its result (CIRCLE), but not its")
    with pytest.raises(PointsError, match=r"P1, line 2: the file has its result \(PLANE\) only"):
        read(text.replace("(P1)=FEAT/POINT", "(P1)=FEAT/PLANE"))
