"""``palpeur part …``: the features of a part with numbered pictures, and its health."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from planner.cli.options import Force, Json, argument, file_option, option
from planner.cli.sample import Sheets, Unit, sheets_of

if TYPE_CHECKING:
    from parts.part import Part

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Features and faces of a part, with a numbered picture; its health.",
)
_SHOW, _AUDIT = "palpeur part show", "palpeur part audit"

File = Annotated[
    str,
    argument("FILE", "Geometry file (STL, OBJ, PLY, GLB, 3MF, STEP), or a part of the library."),
]


@app.command()
def show(
    context: typer.Context,
    file: File,
    *,
    html: Annotated[
        str,
        option(
            "--html",
            "PAGE",
            "Write a page: the part, where a click names a face.",
            callback=file_option,
        ),
    ] = "",
    picture: Annotated[
        str,
        option(
            "--picture",
            "PNG",
            "Write a picture with the numbers of this table.",
            callback=file_option,
        ),
    ] = "",
    unit: Unit = "",
    sheets: Sheets = "",
    force: Force = False,
    as_json: Json = False,
) -> int:
    """List the features of a part by number: kind, size, position, direction, faces.

    Halves of a bore are one feature. Names are counted by kind, size and position, so that they
    last when the part is exported again; `palpeur sample` and job files take them.
    """
    from pathlib import Path

    from planner.cli.output import Form
    from planner.result_files import check_file, write_result
    from reports.part import part_document, part_lines, part_page, part_picture

    for name, place in (("--html", html), ("--picture", picture)):
        if place:  # before the work, not after it
            check_file(Path(place), _SHOW, force=force, option=name)
    part = _opened(file, unit, sheets)
    if html:
        write_result(
            Path(html), part_page(part), _SHOW, comment="<!-- {} -->", force=force, option="--html"
        )
        context.obj.say(f"Page written to {html}.")
    if picture:
        write_result(Path(picture), part_picture(part), _SHOW, force=force, option="--picture")
        context.obj.say(f"Picture written to {picture}.")
    return Form(json=as_json).show(json=lambda: part_document(part), text=lambda: part_lines(part))


@app.command()
def audit(
    file: File,
    *,
    repair: Annotated[
        str,
        option(
            "--repair",
            "NAMES",
            "Joined by commas, of drop-degenerate, drop-duplicates, flip. Nothing else is changed "
            "but what the answer says.",
        ),
    ] = "",
    out: Annotated[
        str, option("--out", "PLY", "Write the repaired mesh, in metres.", callback=file_option)
    ] = "",
    unit: Unit = "",
    sheets: Sheets = "",
    force: Force = False,
    as_json: Json = False,
) -> int:
    """Examine the geometry of a part: closed or not, inside out, without area, repeated.

    Exit codes: 0 sound; 1 not sound; 2 bad input.
    """
    from pathlib import Path

    from parts.part import ply_bytes
    from planner.cli.output import Form
    from planner.result_files import check_file, write_result
    from reports.part import audit_document, audit_lines, sound

    if out:
        check_file(Path(out), _AUDIT, force=force)
    names = tuple(name.strip() for name in repair.split(",") if name.strip())
    part = _opened(file, unit, sheets, names)
    if out:
        mesh = part.geometry.mesh
        write_result(Path(out), ply_bytes(mesh.vertices, mesh.faces), _AUDIT, force=force)
    return Form(json=as_json).show(
        json=lambda: audit_document(part),
        text=lambda: audit_lines(part),
        passed=sound(part.geometry),
    )


def _opened(file: str, unit: str, sheets: str, repair: tuple[str, ...] = ()) -> Part:
    from parts.part import load_part

    return load_part(file, unit=unit or None, sheets=sheets_of(sheets), repair=repair)
