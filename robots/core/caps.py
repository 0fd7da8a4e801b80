"""Caps on what input may ask for, tested before anything is allocated.

The one leaf that every room may import, see pyproject.toml.

A cap is raised or lowered by the environment, ``PALPEUR_CAP_POINTS=2000000``; it is read each time
it is needed, so worker processes follow their parent. What a format itself forbids (lengths of
names, nesting of brackets) is no cap: no user has a reason to change it.
"""

from __future__ import annotations

import errno
import os
import stat
from enum import Enum, unique
from pathlib import Path
from typing import BinaryIO

from robots.core.errors import CapError

PREFIX = "PALPEUR_CAP_"
_MOST = 10**15


@unique
class Cap(Enum):
    """A cap: its default, its unit, and what it holds for."""

    JOB_BYTES = 1_000_000, "bytes", "a job file; long lists of points stand in a point file"
    ROBOT_BYTES = 1_000_000, "bytes", "a robot, platform, biped or URDF file"
    PHRASE_CHARACTERS = 100_000, "characters", "a description phrase of a robot"

    POINT_BYTES = 64_000_000, "bytes", "a point file"
    POINTS = 500_000, "points", "a point file"
    LINE_CHARACTERS = 65_536, "characters", "a line of a point file"
    STATEMENT_CHARACTERS = 65_536, "characters", "a DMIS statement, continued lines joined"
    QIF_TAGS = 3_500_000, "tags", "a QIF file; a point needs six"
    QIF_ATTRIBUTES = 1_000_000, "attributes", "a QIF file"
    QIF_NUMBERS = 3_000_000, "numbers", "one list in a QIF file"

    GEOMETRY_BYTES = 1_000_000_000, "bytes", "a geometry file with all files that a glTF names"
    TRIANGLES = 5_000_000, "triangles", "all meshes of a geometry file, each instance counted"
    VERTICES = 15_000_000, "vertices", "all meshes of a geometry file"
    REPEATED_TRIANGLES = 1_000_000, "triangles", "that a scene or a build places more than once"
    PLY_HEADER_BYTES = 100_000, "bytes", "the header of a PLY file"
    ARCHIVE_ENTRIES = 10_000, "entries", "a 3MF archive"
    ARCHIVE_BYTES = 500_000_000, "bytes", "all entries of a 3MF archive, unpacked"
    ARCHIVE_RATIO = 200, "to 1", "unpacked to packed bytes of an archive's entry"
    XML_TAGS = 20_000_000, "tags", "the models of a 3MF archive"
    GLTF_VALUES = 5_000_000, "values", "the JSON of a glTF file"
    GEOMETRY_LINE = 1_000_000, "bytes", "a line of a text geometry file, or a tag of a 3MF model"
    INSTANCES = 10_000, "meshes", "placed by a scene, an assembly or a build"
    NODES = 100_000, "nodes", "a scene's tree, or components of a build"
    DEPTH = 64, "levels", "a scene's tree, or components within components"
    STEP_STATEMENTS = 10_000_000, "statements", "a STEP file"
    STEP_FACES = 1_000_000, "faces, shells and units", "a STEP file"
    DRAWING_LINKS = 2_000_000, "links", "followed in the drawing of a STEP file"
    STEP_SECONDS = 600, "s", "the STEP translator, a process of its own"
    STEP_MEMORY = 8_000_000_000, "bytes", "address space of the STEP translator"

    LINK_MESH_BYTES = 200_000_000, "bytes", "all mesh files of a robot's links"
    LINK_TRIANGLES = 2_000_000, "triangles", "all meshes of a robot's links"

    TABLE_BYTES = 256_000_000, "bytes", "a table of states or poses"
    TABLE_ROWS = 1_000_000, "rows", "a table of states or poses"
    TABLE_COLUMNS = 1_000, "columns", "a table of states"
    SAMPLES = 5_000_000, "samples", "a motion of a robot or platform that is written as a table"
    PLAN_SAMPLES = 200_000_000, "samples", "the motion of a planned job"
    PROBE_POINTS = 10_000, "points", "laid out on one feature"

    PLAN_MEMORY = 8_000_000_000, "bytes", "memory that planning and proving one job may take"
    PLAN_SECONDS = 3_600, "s", "processor time that planning and proving one job may take"

    BATCH_JOBS = 1_000_000, "jobs", "a batch"
    BATCH_WORKERS = 1_024, "processes", "a batch on one machine"
    SWEEP_JOBS = 100_000, "jobs", "one sweep; values or steps of one of its keys"
    SWEEP_KEYS = 32, "keys", "varied by one sweep"
    SWEEP_CHARACTERS = 2_000_000_000, "characters", "all jobs that the sweeps of a batch make"
    RESULT_BYTES = 100_000_000, "bytes", "a result in a batch's folder, or a claim to one"
    SUMMARY_BYTES = 2_000_000_000, "bytes", "a batch's summary.json, batch.json or measured file"

    PLAN_BYTES = 300_000_000, "bytes", "a plan.json that is compared"
    RECORD_BYTES = 20_000_000, "bytes", "the record of a report set"

    VECTOR_TERMS = 2_000, "products", "one component of a vector in condensed equations"
    INERTIA_TERMS = 20_000, "products", "an inertia matrix in condensed equations"
    DETERMINANT_TERMS = 20_000, "terms", "a determinant whose factors are sought"

    def __init__(self, default: int, unit: str, meaning: str) -> None:
        self.default = default
        self.unit = unit
        self.meaning = meaning

    @property
    def variable(self) -> str:
        """Name of the environment variable that changes it."""
        return PREFIX + self.name

    @property
    def limit(self) -> int:
        """What holds now.

        Raises:
            CapError: the environment says something that is no positive whole number.
        """
        text = os.environ.get(self.variable)
        if text is None:
            return self.default
        try:
            value = int(text)
        except ValueError:
            value = 0
        if not 1 <= value <= _MOST:
            raise CapError(
                f"The environment says {self.variable}={text[:40]!r}; expected a whole number of "
                f"at least 1 and at most 10^15. Without it, {self.default} holds ({self.unit}).",
                variable=self.variable,
                found=text,
            )
        return value

    @property
    def advice(self) -> str:
        """How the user raises it, as the end of an error's sentence."""
        return f"raise it with {self.variable}=…"


def check_environment() -> None:
    """Refuse what looks like a cap and is none, so that no one believes in a misspelt one.

    Raises:
        CapError: an unknown name, or an unusable value.
    """
    for variable in sorted(os.environ):
        if not variable.startswith(PREFIX):
            continue
        try:
            _ = Cap[variable.removeprefix(PREFIX)].limit
        except KeyError:
            raise CapError(
                f"The environment sets {variable[:60]}, but there is no such cap; "
                "`palpeur doctor --caps` lists them.",
                variable=variable,
            ) from None


def changed_caps() -> dict[str, int]:
    """Caps that the environment changes, by name: they decide what is refused."""
    return {cap.name: cap.limit for cap in Cap if cap.limit != cap.default}


# ------------------------------------------------------------------------- Capped reading of files

_CHUNK = 1_000_000  # [byte]
_OWN = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")  # what this process was given already open


def read_capped(path: Path | str, cap: Cap, *, spent: int = 0) -> bytes:
    """Content of a regular file.

    A pipe or a device may never begin or never end, so it is not waited for; only those that the
    shell has opened for us (``<(…)``) are read.

    Args:
        path: of the file.
        cap: of its bytes.
        spent: bytes of the cap that other files have taken already.

    Raises:
        OSError: not readable, not a regular file, longer than the cap; ``reason_of`` says it.
    """
    given = str(path).startswith(_OWN)
    try:
        with open(path, "rb", opener=None if given else _not_waiting) as file:
            found = os.fstat(file.fileno())
            regular = stat.S_ISREG(found.st_mode)
            if not given and not regular:
                raise OSError(errno.EINVAL, "it is no regular file")
            most = cap.limit - spent + 1
            # a read of so many bytes takes that much memory before the first one comes
            raw = file.read(min(most, found.st_size + 1)) if regular else _drained(file, most)
    except ValueError as error:  # a zero byte in the path
        raise OSError(errno.EINVAL, str(error)) from None
    if len(raw) > cap.limit - spent:
        with_others = ", with the files beside it" if spent else ""
        raise OSError(errno.EFBIG, f"it has more than {cap.limit} bytes{with_others}; {cap.advice}")
    return raw


def _drained(file: BinaryIO, most: int) -> bytes:
    """What comes from a pipe, at most so many bytes."""
    chunks: list[bytes] = []
    while most > 0 and (chunk := file.read(min(most, _CHUNK))):
        chunks.append(chunk)
        most -= len(chunk)
    return b"".join(chunks)


def reason_of(error: OSError) -> str:
    """Why a file cannot be read, as the end of a sentence."""
    return error.strerror or str(error)


def _not_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
