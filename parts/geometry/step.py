"""STEP files → bodies whose faces keep their analytic surfaces, by Open CASCADE (cascadio)."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

from parts.geometry.body import Content
from parts.geometry.brep import body_of
from parts.geometry.gltf import check_size, primitives
from parts.geometry.gltf_data import GltfData
from parts.geometry.gltf_document import Document, document_of
from parts.geometry.gltf_scene import PlacedMesh, placed_meshes
from parts.geometry.source_file import SourceFile, read_capped
from parts.geometry.step_shells import Matched, Translated, with_shells
from parts.geometry.step_text import StepText, step_text
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
    text = step_text(file)
    deflection = max(FINEST, RELATIVE * 1e3 * text.extent)
    glb = SourceFile(name=file.name, raw=_translated(file, text.plain, deflection), folder=None)
    document = document_of(glb)
    placed = placed_meshes(document)
    data = GltfData(document)
    check_size(document, data, placed)
    translated = [
        Translated(body=body, shape=_shape(document, place))
        for place in placed
        if len((body := body_of(document, data, place, deflection * 1e-3)).faces)
    ]
    if not translated:
        raise file.error("it has no surface that could be probed. Export solids or surfaces.")
    matched = with_shells(text, translated)
    return Content(
        bodies=matched.bodies,
        unit=text.unit,
        in_metres=True,
        notes=_notes(matched, deflection),
        doubts=_doubts(matched, text),
    )


def _shape(document: Document, place: PlacedMesh) -> int:
    """A number that is the same for the meshes of one shape, which share their triangles."""
    shared = [
        document.count(primitive, "indices", "a primitive", -1 - place.mesh)
        for primitive in primitives(document, place.mesh)
        if "indices" in primitive
    ]
    return shared[0] if shared else -1 - place.mesh


def _translated(file: SourceFile, plain: bytes, deflection: float) -> bytes:
    """The GLB file that the translator makes of a text without presentation."""
    seconds, memory = Cap.STEP_SECONDS, Cap.STEP_MEMORY
    with tempfile.TemporaryDirectory(prefix="palpeur-") as folder:
        source, target = Path(folder, "part.step"), Path(folder, "part.glb")
        source.write_bytes(plain)
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


def _notes(matched: Matched, deflection: float) -> tuple[str, ...]:
    patches = [patch for body in matched.bodies for patch in body.patches]
    kinds = Counter(patch.kind for patch in patches)
    analytic = sum(patch.surface is not None for patch in patches)
    notes = [
        f"{analytic} of {len(patches)} STEP faces are analytic; points and normals on them are "
        "exact.",
    ]
    if kinds["freeform"]:
        notes.append(
            f"{kinds['freeform']} faces are free-form: normals are interpolated there between the "
            f"corners of triangles that follow the surface within {deflection:.3g} mm and "
            f"{ANGULAR} rad."
        )
    if kinds["facets"]:
        notes.append(
            f"{kinds['facets']} faces are triangles in the file itself (tessellated geometry); how "
            "well they follow the true surface is not known."
        )
    if matched.unnamed:
        notes.append("Some face names of the file could not be matched with its faces.")
    return tuple(notes)


def _doubts(matched: Matched, text: StepText) -> tuple[str, ...]:
    patches = [patch for body in matched.bodies for patch in body.patches]
    lost = sum(patch.kind == "unidentified" for patch in patches)
    named = sum(len(shell.faces) for shell in text.shells)
    doubts: list[str] = []
    if lost:
        doubts.append(
            f"{lost} of {len(patches)} faces could not be identified with faces of the file; "
            "nothing is measured on them. Export the part again, without colours."
        )
    if matched.missing or matched.foreign:
        doubts.append(
            f"Of the {named} faces in the shells of the file, {named - matched.missing} were "
            f"found again by number, kind and radius; {matched.foreign} faces of the translation "
            "are not among them. Faces may be split or missing: compare the part with its drawing, "
            "or export it again."
        )
    if matched.foreign and text.has_sheets:
        doubts.append(
            "Which of these faces are sheets beside the solids is not known; all count as part."
        )
    if not all(np.isfinite(body.vertices).all() for body in matched.bodies):
        doubts.append("Some faces could not be tessellated.")
    return tuple(doubts)
