"""Names of a job are text in programmes, and never anything that a controller would obey."""

import re
from dataclasses import replace

import numpy as np
import pytest
from lxml import etree

from parts.points import read_raw_points
from reports.programmes import programmes
from reports.programmes.text import ascii_text, labels
from tests.cases import some

JOB_NAMES = {
    "lines": "x\r\nENDFIL\nGOTO/CART, 0, 0, 0\n; HALT\n",
    "continued": "ends with a dollar $",
    "quoted": "it's ''' $$ ' \"",
    "markup": "<script>alert(1)</script>]]>&amp;<!--",
    "turned": "safe\u202egnp.exe\u2066 \u0000\u0007\ud800",
    "long": "A" * 10_000,
    "fold": ";FOLD PTP HOME;%{PE}",
    "percent": "%s %n %d 100%",
    "empty": "",
}
POINT_NAMES = ("F(A)=FEAT$", "p 1", "p'1", "../../etc/passwd", "=cmd|'/C calc'!A0", "Ünïcode 点")


@pytest.mark.parametrize(
    "name", some(JOB_NAMES.values(), gate=4), ids=some(list(JOB_NAMES), gate=4)
)
def test_a_job_name_changes_nothing_but_comments(two_points, name):
    plain = programmes(two_points)
    hostile = programmes(replace(two_points, job=replace(two_points.job, name=name)))
    assert hostile.keys() == plain.keys()
    for path in plain:
        if path == "plan.qif":
            continue
        text, usual = hostile[path].decode("ascii"), plain[path].decode("ascii")
        own = {"\t"} if path.endswith(".ls") else set()
        assert set(re.findall(r"[^\x20-\x7e]", text)) <= {"\n", "\r"} | own
        assert code_of(path, text) == code_of(path, usual)
        assert max(map(len, text.splitlines())) < 400
    found = read_raw_points(hostile["program.dmi"], origin="program.dmi")
    assert found.names == ("P1-1", "P2-1")


def code_of(path, text):
    """The lines of a file that are not comments; the name in DMISMN is one."""
    marks = {"dmi": "$$", "src": ";", "mod": "!", "script": "#", "csv": "#", "yaml": "#"}
    marks |= {"kl": "--", "ls": "!", "py": "#"}
    mark = marks.get(path.rpartition(".")[2], "\0")
    if path.endswith(".py"):
        text = text.split('"""', 2)[2]
    if path.endswith(".ls"):  # lines are counted and numbered, remarks too
        text = re.sub(r"(?m)^LINE_COUNT.*|^ *\d+:", "", text)
    lines = [line for line in text.splitlines() if not line.lstrip().startswith(mark)]
    return lines[1:] if path == "program.dmi" else lines


@pytest.mark.parametrize("name", JOB_NAMES.values(), ids=JOB_NAMES)
def test_a_job_name_in_qif_is_an_attribute(two_points, name, qif_schema):
    plan = replace(two_points, job=replace(two_points.job, name=name))
    root = etree.fromstring(programmes(plan, ["qif"])["plan.qif"])
    qif_schema.assertValid(root)
    told = root.find("{*}Attributes")[0].get("value")
    if name.isprintable() and len(name) < 200:
        assert told == name
    assert len(told) < 1000
    assert told.isprintable()


@pytest.fixture(scope="module")
def hostile_points(planned):
    positions = 1e-3 * np.array([[20.0 * k, 5.0 * k * k, 300.0] for k in range(6)])
    return planned(positions, np.tile([0.0, 0, 1], (6, 1)), names=POINT_NAMES)


def test_point_names_become_labels(hostile_points):
    raw = programmes(hostile_points, ["dmis", "ipp"])
    text = raw["program.dmi"].decode("ascii")
    assert max(map(len, text.splitlines())) <= 80
    found = read_raw_points(raw["program.dmi"], origin="a.dmi")
    assert np.abs(found.positions - hostile_points.placed.surfaces).max() < 1e-9
    assert re.findall(r"^F\(([^)]*)\) =", text, flags=re.MULTILINE) == [
        "F_A_FEAT",
        "p_1",
        "p_1_2",
        "etc_passwd",
        "cmd_C_calc_A0",
        "n_code",
    ]
    assert "$$ F(p_1_2) is p\\x271" in text
    assert "$$ F(n_code) is \\xdcn\\xefcode \\u70b9" in text
    assert "passwd" not in raw["program.ipp"].decode("ascii")


def test_point_names_in_qif_are_as_they_are(hostile_points, qif_schema):
    raw = programmes(hostile_points, ["qif"])["plan.qif"]
    qif_schema.assertValid(etree.fromstring(raw))
    found = read_raw_points(raw, origin="a.qif")
    assert found.points.features == POINT_NAMES
    assert np.abs(found.positions - hostile_points.placed.surfaces).max() < 1e-9


def test_joint_names_are_quoted_in_yaml(two_points):
    mechanism = two_points.job.mechanism
    bad = 'q"]\npoints: [\\ é\u202e'
    joints = (replace(mechanism.joints[0], name=bad), *mechanism.joints[1:])
    plan = replace(
        two_points, job=replace(two_points.job, mechanism=replace(mechanism, joints=joints))
    )
    text = programmes(plan, ["ros"])["robot/joint_trajectory.yaml"].decode("ascii")
    line = next(line for line in text.splitlines() if line.startswith("joint_names"))
    first = re.match(r'joint_names: \["((?:[^"\\]|\\x..|\\u....)*)", "q2"', line)[1]
    assert first.encode().decode("unicode_escape") == bad


def test_labels_are_unique_whatever_the_names():
    names = ["a", "A", "a", "1", "", "***", "x" * 50, "x" * 60, "a_2", *["n"] * 50]
    made = labels(names, "P")
    assert len({label.upper() for label in made}) == len(names)
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,31}", label) for label in made)
    assert made[:6] == ("a", "A_2", "a_3", "P1", "P", "P_2")


def test_ascii_text():
    assert ascii_text("plain ~ text") == "plain ~ text"
    assert ascii_text("a\nb\u202ec\U0001f600$", hidden="$") == "a\\x0ab\\u202ec\\U0001f600\\x24"
    assert ascii_text("x" * 200, longest=10) == "xxxxxxx..."
    assert len(ascii_text("\u202e" * 200, longest=40)) == 40
