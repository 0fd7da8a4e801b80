"""``palpeur part …`` and ``palpeur sample``: features with pictures, health, probe points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from planner.cli.options import Force, Json, argument, file_option, flag, option, out_option

if TYPE_CHECKING:
    from parts.geometry import Sheets as SheetsKey
    from parts.part import Part
    from robots.core.arrays import Array

    SheetsOrNone = SheetsKey | None

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Features and faces of a part, with a numbered picture; its health.",
)
_SHOW, _AUDIT, _SAMPLE = "palpeur part show", "palpeur part audit", "palpeur sample"
_SHEETS: dict[str, SheetsOrNone] = {"": None, "ignore": "ignore", "include": "include"}

Unit = Annotated[str, flag("--unit", "Of a geometry file that carries none: mm, cm, m, in.")]
Sheets = Annotated[
    str,
    flag("--sheets", "ignore (the default) or include: surfaces of a STEP file beside its solids."),
]

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
    form: Annotated[
        str,
        option("--as", "FORM", "toml: the drawing's tolerances as [[tolerance]] tables of a job."),
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
    from planner.errors import OptionError
    from planner.result_files import check_file, write_result
    from reports.part import (
        part_document,
        part_lines,
        part_page,
        part_picture,
        tolerance_tables,
    )

    if form not in ("", "toml") or (form and as_json):
        raise OptionError(
            f"--as {form!r} with --json: give one of them."
            if form == "toml"
            else f"--as {form!r} is not a form of part; expected toml.",
            value=form,
        )
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
    return Form(json=as_json).show(
        json=lambda: part_document(part),
        text=lambda: tolerance_tables(part.drawing, part.geometry) if form else part_lines(part),
    )


@app.command()
def audit(
    file: File,
    *,
    repair: Annotated[
        str,
        option(
            "--repair",
            "NAMES",
            "Joined by commas, of weld, drop-degenerate, drop-duplicates, wind, close (small "
            "holes), flip. Nothing else is changed but what the answer says.",
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


# ---------------------------------------------------------------------------------------- Points


def sample(
    context: typer.Context,
    part: Annotated[
        str,
        argument(
            "PART",
            "Geometry file (STL, OBJ, PLY, GLB, 3MF, STEP), or a library part: ball, blade, "
            "block, inclined-plate.",
        ),
    ],
    *,
    feature: Annotated[
        str,
        option(
            "--feature",
            "FEATURE",
            "A feature's name (`palpeur part show` lists them), a face's name or #index, a "
            "kind (cylinder), nearest:x,y,z in mm, or by numbers: "
            "'circle:center=0,0,5;normal=0,0,1;diameter=20;inner'. With --all: a pattern, such as "
            "'hole-*'.",
        ),
    ],
    every: Annotated[bool, flag("--all", "On every feature that --feature matches.")] = False,
    strategy: Annotated[
        str,
        flag("--strategy", "grid, hammersley, star, helix, circles, stratified-by-curvature."),
    ] = "hammersley",
    count: Annotated[
        int,
        flag(
            "--count",
            "Number of points; else what practice (BS 7172) takes at least: 9 on a plane, 12 on a "
            "bore; 25 on free forms.",
        ),
    ] = 0,
    levels: Annotated[
        int, flag("--levels", "With --strategy circles: so many circles along the axis.")
    ] = 0,
    pitch_mm: Annotated[float, flag("--pitch-mm", "With --strategy helix: its pitch.")] = 0.0,
    target_um: Annotated[
        float,
        flag(
            "--target-um",
            "Instead of a count: standard deviation of the fitted surface where it is worst.",
        ),
    ] = 0.0,
    sigma_um: Annotated[
        float, flag("--sigma-um", "Standard deviation of one probing, for --target.")
    ] = 1.0,
    edge_margin_mm: Annotated[
        float | None,
        flag(
            "--edge-margin-mm",
            "Minimum distance from the feature's edges; else the ball's radius, and 5 to 20 % of "
            "the feature's least extent.",
        ),
    ] = None,
    ball_diameter_mm: Annotated[
        float, flag("--ball-diameter-mm", "Keep points that this ball can touch.")
    ] = 0.0,
    shank_diameter_mm: Annotated[
        float, flag("--shank-diameter-mm", "And that its shank leaves room for.")
    ] = 0.0,
    stylus_length_mm: Annotated[float, flag("--stylus-length-mm", "Length of that shank.")] = 0.0,
    stylus_axis: Annotated[
        str,
        option(
            "--stylus-axis",
            "X,Y,Z",
            "From ball to wrist, in part axes; default: the normal of each point.",
        ),
    ] = "",
    unit: Unit = "",
    sheets: Sheets = "",
    prefix: Annotated[str, flag("--prefix", "Of the points' names.")] = "P",
    out: Annotated[str, out_option("FILE", "Write the points there, as CSV.")] = "",
    force: Force = False,
    as_json: Json = False,
) -> int:
    """Lay out probe points on a feature of a part, as a point file.

    Points lie where the part has surface, off its edges, and where the stylus fits.
    """
    import sys
    from pathlib import Path

    from parts.features.feature import choose_features
    from parts.part import load_part
    from parts.points import joined
    from parts.points.csv_file import points_csv
    from parts.probe import Tip
    from planner.cli.exit_codes import ExitCode
    from planner.cli.output import print_json
    from planner.result_files import check_file, write_result
    from reports.sampling import part_sentences, sample_document, sample_sentences

    known = sheets_of(sheets)
    _check(count, target_um, ball_diameter_mm, shank_diameter_mm, stylus_length_mm)
    if out:
        check_file(Path(out), _SAMPLE, force=force)  # before the work, not after it
    whole = load_part(part, unit=unit or None, sheets=known)
    geometry = whole.geometry
    chosen = choose_features(geometry, feature) if every else (whole.feature(feature),)
    margin = None if edge_margin_mm is None else edge_margin_mm * 1e-3
    tip = None
    if ball_diameter_mm:
        tip = Tip(
            length=stylus_length_mm * 1e-3,
            ball_radius=ball_diameter_mm * 0.5e-3,
            shank_radius=shank_diameter_mm * 0.5e-3,
        )
    found = [
        whole.sample(
            one,
            count=count,
            strategy=strategy,
            target=target_um * 1e-6,
            sigma=sigma_um * 1e-6,
            edge_margin=margin,
            levels=levels,
            pitch=pitch_mm * 1e-3,
            tip=tip,
            stylus_axis=_direction(stylus_axis) if stylus_axis else None,
            prefix=prefix,
        )
        for one in chosen
    ]
    points = joined([one.points for one in found], prefix)
    if out:
        write_result(Path(out), points_csv(points), _SAMPLE, force=force)
    if as_json:
        print_json(sample_document(geometry, chosen, found, points))
    elif not out:
        sys.stdout.write(points_csv(points))
    for one, sample_ in zip(chosen, found, strict=True):
        for sentence in sample_sentences(one, sample_):
            context.obj.say(sentence)
    for sentence in part_sentences(geometry, len(points), out):
        context.obj.say(sentence)
    return ExitCode.DONE


def sheets_of(text: str) -> SheetsOrNone:
    """What ``--sheets`` says; raises OptionError for what it cannot."""
    from planner.errors import OptionError

    if text not in _SHEETS:
        raise OptionError(f"--sheets is {text!r}; expected ignore or include.", value=text)
    return _SHEETS[text]


def _check(count: int, target: float, ball: float, shank: float, stylus: float) -> None:
    """Args: in the units of the options."""
    from planner.errors import OptionError

    if count and target:
        raise OptionError("--count and --target-um exclude each other; give one.")
    for name, value in (("--count", count), ("--target-um", target)):
        if not value >= 0.0:
            raise OptionError(f"{name} is {value:g}; it must be above zero.", value=value)
    if shank and not (ball and stylus):
        raise OptionError(
            "--shank-diameter-mm needs --ball-diameter-mm and --stylus-length-mm, to know where "
            "the shank is."
        )


def _direction(text: str) -> Array:
    import numpy as np

    from planner.errors import OptionError

    try:
        vector = np.array([float(cell) for cell in text.split(",")])
    except ValueError:
        vector = np.zeros(0)
    length = float(np.linalg.norm(vector))
    if vector.shape != (3,) or not 0.0 < length < np.inf:
        raise OptionError(
            f"--stylus-axis {text!r} is no direction; expected three numbers, such as 0,0,1.",
            value=text,
        )
    return np.asarray(vector / length)
