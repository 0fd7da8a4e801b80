"""Every way in which a file from a stranger names another file, and that none of them leads out.

A new way to name a file belongs into this list. Names of results (report sets, batch results,
pictures) come from fixed lists and hashes, or pass ``reports.inputs.safe_name``.
"""

from __future__ import annotations

import io
import json
import os
import struct
import sys
import zipfile
from pathlib import Path

import pytest

from planner.cli.main import main

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and paths of POSIX")

MARK = "the-secret-of-the-house"
JOB = """format = 1
[job]
name = "a"
[robot]
model = "{robot}"
{part}
[points]
file = "{points}"
frame = "{frame}"
{more}
"""
POINTS = "name,x_mm,y_mm,z_mm,nx,ny,nz\nP1,0,1500,900,0,0,1\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A job's folder beside a file that is none of its business, and a link that leads there."""
    monkeypatch.setenv("PALPEUR_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "secret.csv").write_text(POINTS.replace("P1", MARK))
    (tmp_path / "secret.toml").write_text(f"{MARK} = 1\n")
    (tmp_path / "secret.stl").write_text(f"solid {MARK}\nendsolid\n")
    (tmp_path / "secret.bin").write_bytes(MARK.encode() * 100)
    inside = tmp_path / "job"
    inside.mkdir()
    (inside / "points.csv").write_text(POINTS)
    for name in ("csv", "toml", "stl", "bin"):
        (inside / f"link.{name}").symlink_to(f"../secret.{name}")
    return inside


def outside(kind: str, folder: Path) -> list[str]:
    """Names that lead out: upwards, from the root, by a link."""
    return [f"../secret.{kind}", f"{folder.parent}/secret.{kind}", f"link.{kind}"]


def job(folder: Path, **more: str) -> list[str]:
    values = {
        "robot": "measuring-arm",
        "points": "points.csv",
        "part": "",
        "more": "",
        "frame": "base",
    } | more
    (folder / "job.toml").write_text(JOB.format(**values))
    return ["check", str(folder / "job.toml")]


def obstacle(name: str) -> str:
    return f'[[cell.obstacle]]\nname = "o"\ngeometry = "{name}"\nunit = "mm"\n'


def part(name: str) -> str:
    return f'[part]\ngeometry = "{name}"\nunit = "mm"\n'


def presenter(name: str) -> str:
    return f'[presenter]\nplatform = "{name}"\n'


def gltf(folder: Path, uri: str) -> list[str]:
    """A part whose triangles stand in another file."""
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"uri": uri, "byteLength": 36}],
    }
    (folder / "part.gltf").write_text(json.dumps(document))
    return ["sample", str(folder / "part.gltf"), "--feature", "#0"]


def sweep(folder: Path, base: str) -> list[str]:
    text = f'format = 1\n[sweep]\nbase = "{base}"\n[[vary]]\nkey = "job.name"\nvalues = ["a"]\n'
    (folder / "sweep.toml").write_text(text)
    return ["batch", str(folder / "sweep.toml"), "--out", str(folder / "out"), "--dry-run"]


WAYS = {
    "points of a job": ("csv", lambda f, name: job(f, points=name)),
    "robot of a job": ("toml", lambda f, name: job(f, robot=name)),
    "part of a job": ("stl", lambda f, name: job(f, part=part(name))),
    "obstacle of a job": ("stl", lambda f, name: job(f, more=obstacle(name))),
    "platform of a job": (
        "toml",
        lambda f, name: job(f, frame="part", more=presenter(name)),
    ),
    "buffer of a glTF": ("bin", gltf),
    "base of a sweep": ("toml", sweep),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("turn", range(3))
def test_no_way_leads_out(folder, capfd, way, turn):
    kind, command = WAYS[way]
    name = outside(kind, folder)[turn]
    code = main(command(folder, name))
    out, err = capfd.readouterr()
    assert code == 2, out + err
    assert "leaves the" in err or "expected a relative path of a file inside the folder" in err, err
    assert MARK not in out + err


def test_an_entry_of_an_archive_that_leaves_it(folder, capfd):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("../../evil.model", "x")
    (folder / "part.3mf").write_bytes(held.getvalue())
    assert main(job(folder, part='[part]\ngeometry = "part.3mf"\n')) == 2
    assert "leaves the archive" in capfd.readouterr().err
    assert not list(folder.parent.rglob("evil.model"))


def test_what_other_formats_name_is_never_opened(folder, capfd):
    """Materials of an OBJ, meshes of a URDF, entities and schemas of XML: traps if they were."""
    os.mkfifo(folder / "trap")  # whoever opens it waits for ever
    obj = "mtllib trap\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n"
    (folder / "part.obj").write_text(obj)
    assert main(["sample", str(folder / "part.obj"), "--unit", "m", "--feature", "#0"]) == 0
    urdf = (
        '<robot name="r"><link name="a"><collision><geometry><mesh filename="file://{0}/trap"/>'
        '</geometry></collision></link><link name="b"/><joint name="j" type="revolute">'
        '<parent link="a"/><child link="b"/><limit lower="-1" upper="1" effort="1" velocity="1"/>'
        "</joint></robot>"
    )
    (folder / "r.urdf").write_text(urdf.format(folder))
    assert main(["robot", "show", str(folder / "r.urdf")]) == 0
    entity = (
        f'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY e SYSTEM "file://{folder}/trap">]><r>&e;</r>'
    )
    (folder / "e.urdf").write_text(entity)
    (folder / "e.qif").write_text(entity)
    assert main(["robot", "show", str(folder / "e.urdf")]) == 2
    assert main(job(folder, points="e.qif")) == 2
    assert "entities" in capfd.readouterr().err


@pytest.mark.parametrize("name", ["../secret.csv", "/etc/passwd", "link.csv"])
def test_a_report_set_that_lists_files_elsewhere(folder, capfd, name):
    record = {"format": 1, "files": [{"name": name, "sha256": "0" * 64, "bytes": 1}]}
    for file in ("provenance.json", "record.json", "plan.json"):
        (folder / file).write_text(json.dumps(record))
    assert main(["verify", str(folder)]) in {1, 2}
    assert MARK not in "".join(capfd.readouterr())


def test_a_binary_stl_that_promises_too_much(folder, capfd):
    """Not a path, but the oldest way to take more than one was given."""
    (folder / "part.stl").write_bytes(b"\0" * 80 + struct.pack("<I", 2**32 - 1) + b"\0" * 50)
    assert main(job(folder, part=part("part.stl"))) == 2
    assert "part.stl" in capfd.readouterr().err
