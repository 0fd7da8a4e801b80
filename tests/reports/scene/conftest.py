"""Real plans and their scenes, planned once; readers of what the writers wrote."""

from __future__ import annotations

import base64
import json
import re
import struct

import numpy as np
import pytest

from planner.job import read_job
from planner.planning import plan as plan_of
from reports.scene.build import scene_of

GANTRY = """
format = 1
[job]
name = "on a bridge"
[robot]
model = "gantry-5"
[points]
file = "points.csv"
frame = "base"
[approach]
distance_mm = 30
direction = "normal"
"""
ON_A_BRIDGE = """name,x_mm,y_mm,z_mm,nx,ny,nz
A,500,400,300,0,0,1
B,600,500,320,0,0.6,0.8
C,700,450,280,0.6,0,0.8
"""
_COMPONENTS = {5126: "<f4", 5125: "<u4", 5123: "<u2"}
_WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}


@pytest.fixture(scope="session")
def nine_plan(library_plan):
    return library_plan("nine-points-corrected")


@pytest.fixture(scope="session")
def walled_plan(library_plan):
    return library_plan("obstructed")


@pytest.fixture(scope="session")
def gantry_plan(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gantry")
    (folder / "job.toml").write_text(GANTRY, encoding="utf-8")
    (folder / "points.csv").write_text(ON_A_BRIDGE, encoding="utf-8")
    return plan_of(read_job(folder / "job.toml"))


@pytest.fixture(scope="session")
def plans(nine_plan, walled_plan, gantry_plan):
    return {"nine": nine_plan, "walled": walled_plan, "gantry": gantry_plan}


@pytest.fixture(scope="session")
def scenes(plans):
    return {name: scene_of(plan) for name, plan in plans.items()}


class ReadGlb:
    """A .glb file, read without the code that wrote it."""

    def __init__(self, data: bytes) -> None:
        magic, version, length = struct.unpack_from("<4sII", data)
        assert (magic, version, length) == (b"glTF", 2, len(data))
        size, kind = struct.unpack_from("<I4s", data, 12)
        assert kind == b"JSON"
        self.json = json.loads(data[20 : 20 + size])
        self.binary = data[28 + size :]

    def values(self, accessor: int) -> np.ndarray:
        about = self.json["accessors"][accessor]
        view = self.json["bufferViews"][about["bufferView"]]
        width = _WIDTHS[about["type"]]
        flat = np.frombuffer(
            self.binary,
            _COMPONENTS[about["componentType"]],
            count=about["count"] * width,
            offset=view["byteOffset"],
        )
        return flat.reshape(-1, width) if width > 1 else flat

    def named(self, name: str) -> int:
        return [node.get("name") for node in self.json["nodes"]].index(name)


@pytest.fixture(scope="session")
def read_glb():
    return ReadGlb


@pytest.fixture(scope="session")
def recording():
    """``recording(page)`` → what viser's player is given: duration and timed messages."""
    import msgspec
    import zstandard

    def read(page: str) -> dict:
        data = base64.b64decode(re.search(r'__VISER_EMBED_DATA__="([^"]*)"', page)[1])
        inner = zstandard.ZstdDecompressor().decompress(data[8:])
        (length,) = struct.unpack_from("<Q", inner)
        return msgspec.msgpack.decode(inner[8 : 8 + length])

    return read
