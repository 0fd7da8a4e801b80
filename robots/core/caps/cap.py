"""Every cap on what input may ask for: said here only, tested before anything is allocated.

A cap is raised or lowered by the environment, ``PALPEUR_CAP_POINTS=2000000``; it is read each time
it is needed, so worker processes follow their parent. What a format itself forbids (lengths of
names, nesting of brackets) is no cap: no user has a reason to change it.
"""

from __future__ import annotations

import os
from enum import Enum, unique

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
    TRIANGLES = 10_000_000, "triangles", "all meshes of a geometry file, each instance counted"
    VERTICES = 30_000_000, "vertices", "all meshes of a geometry file"
    PLY_HEADER_BYTES = 100_000, "bytes", "the header of a PLY file"
    ARCHIVE_ENTRIES = 10_000, "entries", "a 3MF archive"
    ARCHIVE_BYTES = 500_000_000, "bytes", "all entries of a 3MF archive, unpacked"
    ARCHIVE_RATIO = 200, "to 1", "unpacked to packed bytes of an archive's entry"
    INSTANCES = 10_000, "meshes", "placed by a scene, an assembly or a build"
    NODES = 100_000, "nodes", "a scene's tree, or components of a build"
    DEPTH = 64, "levels", "a scene's tree, or components within components"
    STEP_SECONDS = 600, "s", "the STEP translator, a process of its own"
    STEP_MEMORY = 8_000_000_000, "bytes", "address space of the STEP translator"

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
