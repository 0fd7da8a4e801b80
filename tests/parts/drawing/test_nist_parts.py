"""The drawings in NIST's test parts against NIST's own table of what they show.

``PALPEUR_NIST`` names a folder with the AP242 files (nist_ctc_01_asme1_ap242-e1.stp, …) and
CTC-FTC-Test-Cases.csv of github.com/usnistgov/CAD-PMI-Testing. Run with ``-s`` for the counts.
"""

import csv
import os
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from parts.drawing.document import drawing_document
from parts.drawing.drawing import Dimension
from parts.drawing.step_pmi import read_drawing
from parts.features.recognition import form_features
from parts.geometry import load_geometry
from parts.geometry.source_file import read_source
from parts.geometry.surfaces import Cylinder, Plane, Sphere

FOLDER = Path(os.environ.get("PALPEUR_NIST", "/nonexistent"))
TABLE = FOLDER / "CTC-FTC-Test-Cases.csv"
pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(not TABLE.is_file(), reason="PALPEUR_NIST names no folder with the table"),
]
INCHES = {"CTC 03", "CTC 05", "FTC 06", "FTC 07", "FTC 08", "FTC 09"}
SYMBOLS = {
    "▱": "flatness", "-": "straightness", "◯": "roundness", "⌭": "cylindricity",
    "//": "parallelism", "⏊": "perpendicularity", "∠": "angularity", "⊕": "position",
    "◎": "concentricity", "⌯": "symmetry", "⌓": "surface profile", "⌒": "line profile",
    "↗": "circular runout", "⌰": "total runout",
}  # fmt: skip
MARKS = {"M": "MMC", "L": "LMC", "F": "free state", "T": "tangent plane"}
BOUNDS = {"M": "MMB", "L": "LMB"}
NUMBER = r"\d*\.?\d+"


def size(text, unit):
    """A number of the table in micrometres, which all of its numbers are whole in."""
    return round(float(text) * unit * 1e6, 1)


# ------------------------------------------------------------------------------------- The table


def expected(row, unit):
    """What a row of the table says, comparable with ``told``; None where it is no such fact."""
    text, kind = row["PMI Annotation"].strip(), row["Annotation Type"]
    if kind == "Datum feature":
        return ("datum", text)  # each fact begins with what it is
    if kind == "Datum target":
        name, _, form = text.partition(" ")
        return ("target", name, form.strip("() ").replace(") (movable", ""))
    if kind.startswith("Dimension"):
        parts = re.split(r" X (?=\d+°)| (?=↧)", re.sub(r"^\d+X\s*", "", text))
        facts = [dimension_of(part, unit) for part in parts]
        return facts[0] if len(facts) == 1 else ("several", *facts)
    return tolerance_of(text, unit)


def dimension_of(text, unit):
    notes = set()
    for mark, note in (("(ST)", "statistical"), ("AVG", "average"), ("(Origin)", "")):
        if mark in text:
            text = text.replace(mark, "").strip()
            notes |= {note} - {""}
    for mark in ("(Oriented)", "(Arc Length)", "⌴", "↧", "⌵"):
        text = text.replace(mark, "").strip()
    text = re.sub(r"^\d+X\s*", "", text)
    if text.startswith("["):
        text, notes = text.strip("[]"), notes | {"theoretical"}
    if text.startswith("("):
        text, notes = text.strip("()"), notes | {"auxiliary"}
    prefix = re.match(r"(S?∅|SR|CR|R|□)?", text)[0]
    body = text.removeprefix(prefix).strip()
    if prefix == "CR":
        notes |= {"controlled radius"}
    if body.endswith("°"):
        unit, body = np.pi / 180.0, body.replace("°", "")
    shown = re.search(r"\.(\d+)", body)
    last = unit * 10.0 ** -(len(shown[1]) if shown else 0) * 1e6  # digit of the nominal value
    one = re.fullmatch(rf"({NUMBER})\s*±\s*({NUMBER})", body)
    two = re.fullmatch(rf"({NUMBER})\s*\+({NUMBER})\s*/\s*-({NUMBER})", body)
    plus = re.fullmatch(rf"({NUMBER})\s*\+({NUMBER})/0", body)
    minus = re.fullmatch(rf"({NUMBER})\s*0/-({NUMBER})", body)
    limits = re.fullmatch(rf"({NUMBER})\s*[-/]\s*({NUMBER})", body)
    fit = re.fullmatch(rf"({NUMBER})\s*([A-Z]) (\d+)", body)
    most = re.fullmatch(rf"({NUMBER})\s*MAX", body)
    alone = re.fullmatch(NUMBER, body)
    kind = "round" if prefix and prefix != "□" else "flat"
    if one:
        low, high = float(one[1]) - float(one[2]), float(one[1]) + float(one[2])
    elif two:
        low, high = float(two[1]) - float(two[3]), float(two[1]) + float(two[2])
    elif plus:
        low, high = float(plus[1]), float(plus[1]) + float(plus[2])
    elif minus:
        low, high = float(minus[1]) - float(minus[2]), float(minus[1])
    elif limits:
        low, high = sorted((float(limits[1]), float(limits[2])))
    elif fit:
        return ("dimension", kind, size(fit[1], unit), fit[2] + fit[3])
    elif most:
        return ("dimension", kind, None, size(most[1], unit), frozenset({"maximum"}))
    elif alone:
        value = size(alone[0], unit)
        return ("dimension", kind, value, value, frozenset(notes), 0.51 * last)
    else:
        return None
    return ("dimension", kind, size(low, unit), size(high, unit), frozenset(notes), 0.51 * last)


def tolerance_of(text, unit):
    around, general = "(All Around)" in text, "(UOS)" in text
    text = re.sub(r"\((All Around|UOS|Oriented)\)", "", text).strip()
    text = re.sub(r"^\d+X\s*", "", text)
    symbol, *cells = (cell.strip() for cell in text.split(" | "))
    frame, *further = (part.strip() for part in " | ".join(cells).split(" / "))
    kind = SYMBOLS[symbol]
    first = frame_of(kind, frame, unit)
    if first is None:
        return None
    piece, lower = (), []
    for part in (one.removeprefix("⌓ |").strip() for one in further):
        area = re.fullmatch(rf"({NUMBER}) X ({NUMBER})|(∅)?({NUMBER})", part)
        if area and kind in ("flatness", "straightness") and "|" not in part:
            values = [area[1], area[2]] if area[1] else [area[4]]
            shape = "square" if area[1] else "circle" if area[3] else "length"
            piece = (shape, *{size(v, unit) for v in values})
        elif re.match(rf"S?∅?{NUMBER}[\s(|]", part + " ") and "SURFACES" not in part:
            lower.append(frame_of(kind, part, unit))
    return ("tolerance", *first, piece, around, general, tuple(lower))


def frame_of(kind, text, unit):
    zone, *datums = (cell.strip() for cell in text.split(" | "))
    extra = [cell for cell in datums if "MAX" in cell]
    datums = [cell for cell in datums if "MAX" not in cell]
    found = re.fullmatch(
        rf"(S?∅)?({NUMBER})((?:\([MLFT]\))*)\s*(?:\(P\)\s*({NUMBER}))?(?:\(U\)\s*({NUMBER}))?", zone
    )
    marks = [MARKS[mark] for mark in re.findall(r"\((\w)\)", found[3])]
    form = {"∅": "diameter", "S∅": "sphere", None: "width"}[found[1]]
    references = tuple(
        tuple(
            (letter, *(BOUNDS[m] for m in bound))
            for letter, bound in re.findall(r"(\w)(?:\((\w)\))?", cell)
        )
        for cell in datums
    )
    return (
        kind,
        form,
        size(found[2], unit),
        frozenset(marks),
        references,
        size(found[4], unit) if found[4] else None,
        size(found[5], unit) if found[5] else None,
        size(re.search(NUMBER, extra[0])[0], unit) if extra else None,
    )


# ---------------------------------------------------------------------------------- The drawings


def told(fact):
    """What a fact of a drawing says, comparable with ``expected``."""
    if isinstance(fact, Dimension):
        return told_dimension(fact)
    return (
        "tolerance",
        *told_frame(fact),
        (fact.unit_shape, *{micrometres(value) for value in fact.unit}) if fact.unit else (),
        fact.all_around,
        fact.whole_part,
        tuple(told_frame(one) for one in fact.lower),
    )


def told_dimension(fact):
    notes = frozenset(fact.modifiers) - {"continuous feature"}
    kind = (
        "flat"
        if fact.kind in ("distance", "depth", "angle", "thickness", "curve length")
        else "round"
    )
    values = [fact.lower, fact.upper]
    if fact.fit:
        return ("dimension", kind, micrometres(fact.nominal), fact.fit)
    if not np.isfinite(values).any():
        values = [fact.nominal, fact.nominal]
    return ("dimension", kind, *map(micrometres, values), notes)


def told_frame(fact):
    return (
        fact.kind,
        fact.zone,
        micrometres(fact.value),
        frozenset((*fact.modifiers, fact.material)) - {""},
        tuple(
            tuple((one.label, *one.modifiers) for one in reference.elements)
            for reference in fact.datums
        ),
        micrometres(fact.projected),
        micrometres(fact.unequal),
        micrometres(fact.maximum),
    )


def micrometres(value):
    """Micrometres, or microradians, rounded as the table is; None for NaN."""
    return round(value * 1e6, 1) if np.isfinite(value) else None


def facts(drawing):
    """Everything that a drawing says, comparable, with what says it."""
    found = [(("datum", one.label), one) for one in drawing.datums]
    found += [(("target", t.name, t.kind), t) for one in drawing.datums for t in one.targets]
    return found + [(told(one), one) for one in (*drawing.dimensions, *drawing.tolerances)]


def same(row, fact):
    """Whether a row is a fact; nominal values are rounded in the table to the digits shown."""
    if row is None or row[0] != "dimension" or fact[0] != "dimension" or len(row) < 6:
        return row == fact
    if len(fact) < 5 or (row[1], row[4]) != (fact[1], fact[4]) or None in fact[2:4]:
        return False
    apart = [a - b for a, b in zip(row[2:4], fact[2:4], strict=True)]
    return abs(apart[0] - apart[1]) <= 0.3 and abs(apart[0]) <= row[5]


def frames_of(fact):
    """The frames of a composite tolerance as rows of their own, as the table has some."""
    if fact[0] != "tolerance" or not fact[-1]:
        return [fact]
    *first, piece, around, general, lower = fact
    rows = [(*first, piece, around, general, ())]
    return rows + [("tolerance", *one, (), around, general, ()) for one in lower]


def compared(rows, unit, drawing, complaint):
    """Compare the table with a drawing.

    Rows that are read, each with its fact; rows that are not; facts that are no row. Of facts that
    say the same, the one is taken whose faces fit the row.
    """
    left = facts(drawing)

    def take(text, row):
        alike = [n for n, (fact, _) in enumerate(left) if same(row, fact)]
        alike.sort(key=lambda n: complaint(text, left[n][1]) != "")
        return left.pop(alike[0])[1] if alike else None

    wanted = [(row["PMI Annotation"], expected(row, unit)) for row in rows]
    right = []
    for by_frame in (False, True):
        if by_frame:
            left[:] = [(frame, held) for fact, held in left for frame in frames_of(fact)]
        waiting, wanted = wanted, []
        for text, row in waiting:
            parts = row[1:] if row and row[0] == "several" else [row]
            found = [take(text, part) for part in parts]
            if all(found):
                right.append((text, found[0]))
            else:
                wanted.append((text, row))
    return right, [text for text, _ in wanted], left


# ------------------------------------------------------------------------------------------ Faces


def complaint_of(geometry, text, fact):
    """Why the faces of a fact cannot be those that are meant; empty where nothing says so."""
    surfaces = [geometry.faces[index].surface for index in getattr(fact, "faces", ())]
    if isinstance(fact, Dimension):
        if fact.kind == "distance":
            return wrong_distance(geometry, fact)
        return wrong_size(surfaces, fact) or wrong_count(geometry, text, fact)
    planes = [isinstance(surface, Plane) for surface in surfaces]
    kind = getattr(fact, "kind", "")
    if kind == "flatness" and not all(planes):
        return "flatness of no plane"
    if kind in ("roundness", "cylindricity", "coaxiality", "concentricity") and any(planes):
        return f"{kind} of a plane"
    if getattr(fact, "zone", "width") != "width" and planes and all(planes):
        return "a round zone for planes"
    return ""


def wrong_size(surfaces, fact):
    """A diameter is one of cylinders or spheres of that diameter, and of no plane."""
    if "diameter" not in fact.kind and "radius" not in fact.kind:
        return ""
    size = fact.nominal if np.isfinite(fact.nominal) else fact.upper
    for surface in surfaces:
        if isinstance(surface, Plane):
            return f"{fact.kind} of a plane"
        if isinstance(surface, Cylinder | Sphere):
            found = surface.radius * (2.0 if "diameter" in fact.kind else 1.0)
            if abs(found - size) > 1e-6 and "maximum" not in fact.modifiers:
                return f"{fact.kind} {size:.6f} m is {found:.6f} m"
    return ""


def wrong_distance(geometry, fact):
    """A distance of two parallel planes is the one that they have."""
    ends = [[geometry.faces[n].surface for n in rows] for rows in (fact.origin_faces, fact.faces)]
    planes = [surface for end in ends for surface in end if isinstance(surface, Plane)]
    if len(planes) != 2 or sum(map(len, ends)) != 2:
        return ""
    first, second = planes
    apart = abs((second.point - first.point) @ first.axis)
    parallel = abs(abs(first.axis @ second.axis) - 1.0) < 1e-9
    fits = parallel and abs(apart - fact.nominal) < 1e-5
    return "" if fits else f"{fact.nominal:.6f} m is {apart:.6f} m"


def wrong_count(geometry, text, fact):
    """A row of "4X" is one of four features."""
    count = re.match(r"(\d+)X\s", text)
    if not count or fact.kind != "diameter":
        return ""
    held = [one for one in form_features(geometry) if set(one.faces) & set(fact.faces)]
    return "" if len(held) == int(count[1]) else f"{text} on {len(held)} features"


# ------------------------------------------------------------------------------------- The tests

READ = {
    "CTC 01": (17, {}),
    "CTC 02": (42, {"datum": 3, "tolerance": 1}),
    "CTC 03": (28, {}),
    "CTC 04": (18, {}),
    "CTC 05": (16, {"datum": 2}),
    "FTC 06": (52, {"datum": 4, "tolerance": 1}),
    "FTC 07": (38, {"dimension": 2, "tolerance": 5}),
    "FTC 08": (0, {}),
    "FTC 10": (66, {"datum": 1, "dimension": 4, "tolerance": 3}),
    "FTC 11": (12, {}),
}  # rows read right, and facts beside the table
CASES = sorted(path.name for path in FOLDER.glob("nist_*.stp"))


@pytest.mark.parametrize("name", CASES)
def test_a_part_says_what_the_table_says(name, capsys):
    case = " ".join(name.split("_")[1:3]).upper()
    geometry = load_geometry(FOLDER / name)
    drawing = read_drawing(read_source(FOLDER / name), geometry)
    with TABLE.open(encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["Test Case"] == case]
    unit = 0.0254 if case in INCHES else 1e-3
    right, missing, beside = compared(
        rows, unit, drawing, lambda text, fact: complaint_of(geometry, text, fact)
    )
    held = [*right, *(("", fact) for _, fact in beside)]
    faces = [(text, why) for text, fact in held if (why := complaint_of(geometry, text, fact))]
    pictures = sum("drawn only" in one.reason for one in drawing.unread)
    with capsys.disabled():
        print(
            f"\n{case}: {len(rows)} rows, {len(right)} read right; {len(beside)} facts beside; "
            f"unread {len(drawing.unread)}, of them {pictures} pictures"
        )
        for title, listed in (("not read", missing), ("faces", faces)):
            for one in listed if case != "FTC 08" else ():
                print(f"  {title}: {one}")
        for fact, _ in beside if rows else ():
            print(f"  beside the table: {fact}")
    assert drawing_document(drawing, geometry)
    assert faces == []
    if rows:
        read, other = READ[case]
        assert len(right) >= read
        # what is read beside the table: datums of targets, and revisions of the part
        assert Counter(fact[0] for fact, _ in beside) == other
