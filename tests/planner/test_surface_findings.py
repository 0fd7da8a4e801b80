"""What a part's geometry says of the points: doubts, normals into the material, points off it."""

from __future__ import annotations

import pytest

from parts.library import open_part, stl_bytes
from planner.job import read_job
from planner.planning import plan

JOB = """format = 1
[job]
name = "block"
[robot]
model = "measuring-arm"
[part]
geometry = "part.stl"
unit = "mm"
pose = { translation_mm = [0, 1500, 900], rotation_zyx_deg = [0, 0, 0] }
[points]
file = "points.csv"
frame = "part"
[approach]
distance_mm = 30
"""
HEADER = "name,x_mm,y_mm,z_mm,nx,ny,nz\n"


@pytest.fixture
def job(tmp_path):
    def read(rows: str, geometry: bytes | None = None):
        (tmp_path / "job.toml").write_text(JOB, encoding="utf-8")
        (tmp_path / "points.csv").write_text(HEADER + rows, encoding="utf-8")
        (tmp_path / "part.stl").write_bytes(geometry or stl_bytes(open_part("block").geometry.mesh))
        return read_job(tmp_path / "job.toml")

    return read


@pytest.fixture(scope="module")
def top() -> float:
    """Height of the block's top face. [mm]."""
    geometry = open_part("block").geometry
    face = geometry.face("top")
    return float(geometry.mesh.triangles[face.triangles][..., 2].max()) * 1e3


def codes(made) -> list[tuple[str, str]]:
    return [(f.code, f.where) for f in made.findings if f.code.startswith("P12")]


def corner(top: float, *, lift: float = 0.0, sign: int = 1) -> str:
    low = open_part("block").geometry.mesh.bounds[0] * 1e3
    return f"{low[0] + 4},{low[1] + 4},{top + lift},0,0,{sign}\n"


def test_a_point_on_a_sound_part_leaves_nothing_to_say(job, top):
    made = plan(job("A," + corner(top)))
    assert codes(made) == []
    assert made.job.surface.audit.watertight


def test_a_normal_into_the_material_is_an_error_by_name(job, top):
    made = plan(job("A," + corner(top) + "B," + corner(top, sign=-1)))
    assert ("P121", "B") in codes(made)
    assert ("P121", "A") not in codes(made)
    assert not made.feasible


def test_a_point_off_the_surface_is_told_with_its_distance(job, top):
    made = plan(job("A," + corner(top, lift=2.5)))
    assert codes(made) == [("P122", "A")]
    assert "2.500 mm" in made.findings[-1].message


def test_an_open_skin_is_a_warning_and_leaves_the_plan_feasible(job, top):
    whole = stl_bytes(open_part("block").geometry.mesh)
    count = int.from_bytes(whole[80:84], "little")
    open_skin = whole[:80] + (count - 1).to_bytes(4, "little") + whole[84 : 84 + 50 * (count - 1)]
    made = plan(job("A," + corner(top), open_skin))
    assert ("P120", "part.stl") in codes(made)
