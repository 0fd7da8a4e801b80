"""STEP files → bodies whose faces keep their analytic surfaces, by Open CASCADE (cascadio)."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from parts.geometry.body import Body, Content
from parts.geometry.brep import body_of
from parts.geometry.gltf import check_size
from parts.geometry.gltf_data import GltfData
from parts.geometry.gltf_document import document_of
from parts.geometry.gltf_scene import placed_meshes
from parts.geometry.source_file import SourceFile, read_capped
from parts.geometry.step_shells import with_shells
from parts.geometry.step_text import StepText, extent_of, step_text, unit_of
from robots.core.caps import Cap

WORKER = Path(__file__).with_name("step_worker.py")
ANGULAR = 0.2  # [rad] between neighbouring facets; it decides on the number of triangles
FINEST = 0.01  # [mm] distance of facets from the surface
RELATIVE = 5e-6  # the same as a share of the part's extent, where that is more


def read_step(file: SourceFile) -> Content:
    """Translate a STEP file; lengths come back in metres whatever the file's unit.

    Raises:
        PartError: not STEP, damaged, over a cap, or without surfaces.
    """
    if b"ISO-10303-21" not in file.raw[:1000]:
        raise file.error("it does not start with ISO-10303-21; it is not STEP. Export it again.")
    text = step_text(file.raw)
    deflection = max(FINEST, RELATIVE * 1e3 * extent_of(text))
    glb = SourceFile(name=file.name, raw=_translated(file, deflection), folder=None)
    document = document_of(glb)
    placed = placed_meshes(document)
    data = GltfData(document)
    check_size(document, data, placed)
    bodies = [body_of(document, data, place, deflection * 1e-3) for place in placed]
    bodies = [body for body in bodies if len(body.faces)]
    if not bodies:
        raise file.error("it has no surface that could be probed. Export solids or surfaces.")
    named = with_shells(text, bodies)
    return Content(
        bodies=named, unit=unit_of(text), in_metres=True, notes=_notes(named, text, deflection)
    )


def _translated(file: SourceFile, deflection: float) -> bytes:
    """The GLB file that the translator makes."""
    seconds, memory = Cap.STEP_SECONDS, Cap.STEP_MEMORY
    with tempfile.TemporaryDirectory(prefix="palpeur-") as folder:
        source, target = Path(folder, "part.step"), Path(folder, "part.glb")
        source.write_bytes(file.raw)
        options = [f"{deflection:.6g}", f"{ANGULAR:.6g}", str(memory.limit)]
        command = [sys.executable, "-P", str(WORKER), str(source), str(target), *options]
        try:
            code = subprocess.run(
                command,
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=seconds.limit,
            ).returncode
        except subprocess.TimeoutExpired:
            raise file.error(
                f"the STEP translator did not finish within {seconds.limit} s. Export a "
                f"simpler part, or {seconds.advice}.",
                limit=seconds.limit,
            ) from None
        if code != 0 or not target.is_file():
            how = f"it was stopped by signal {-code}" if code < 0 else "it found no shape"
            raise file.error(
                f"the STEP translator cannot read it ({how}); it is damaged, or needs more than "
                f"{memory.limit} bytes of memory. Export it again as AP214 or AP242, or "
                f"{memory.advice}.",
                code=code,
            )
        return read_capped(target, f"{file.name}, translated")


def _notes(bodies: tuple[Body, ...], text: StepText, deflection: float) -> tuple[str, ...]:
    patches = [patch for body in bodies for patch in body.patches]
    freeform = sum(patch.kind == "freeform" for patch in patches)
    notes = [
        f"{len(patches) - freeform} of {len(patches)} STEP faces are analytic; points and normals "
        "on them are exact.",
    ]
    if freeform:
        notes.append(
            f"{freeform} faces are free-form: normals are interpolated there between the corners "
            f"of triangles that follow the surface within {deflection:.3g} mm and {ANGULAR} rad."
        )
    if any(text.face_names) and not any(patch.name for patch in patches):
        notes.append("The face names of the file could not be matched with its faces.")
    if not all(np.isfinite(body.vertices).all() for body in bodies):
        notes.append("Some faces could not be tessellated.")
    return tuple(notes)
