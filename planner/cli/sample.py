"""``palpeur sample``: probe points on a feature of a part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from planner.cli.options import Json
from planner.cli.out_place import file_option

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from parts.geometry import Geometry

_COMMAND = "palpeur sample"
_USUAL = 25  # points, where nothing is asked


def sample(
    context: typer.Context,
    part: Annotated[
        str,
        typer.Argument(
            metavar="PART",
            help="Geometry file (STL, OBJ, PLY, GLB, 3MF, STEP), or a library part: ball, blade, "
            "block, inclined-plate.",
            show_default=False,
        ),
    ],
    *,
    feature: Annotated[
        str,
        typer.Option(
            "--feature",
            metavar="FEATURE",
            help="A face's name, #index, a kind (cylinder), nearest:x,y,z in mm, or by numbers: "
            "'circle:center=0,0,5;normal=0,0,1;diameter=20;inner'.",
            show_default=False,
        ),
    ],
    strategy: Annotated[
        str,
        typer.Option(
            "--strategy",
            help="grid, hammersley, star, helix, circles, stratified-by-curvature.",
        ),
    ] = "hammersley",
    count: Annotated[
        int, typer.Option("--count", help="Number of points; 25 where no target is given.")
    ] = 0,
    target_um: Annotated[
        float,
        typer.Option(
            "--target-um",
            help="Instead of a count: standard deviation of the fitted surface where it is worst.",
        ),
    ] = 0.0,
    sigma_um: Annotated[
        float, typer.Option("--sigma-um", help="Standard deviation of one probing, for --target.")
    ] = 1.0,
    edge_margin_mm: Annotated[
        float, typer.Option("--edge-margin-mm", help="Least distance from the feature's edges.")
    ] = 0.0,
    ball_diameter_mm: Annotated[
        float, typer.Option("--ball-diameter-mm", help="Keep points that this ball can touch.")
    ] = 0.0,
    shank_diameter_mm: Annotated[
        float, typer.Option("--shank-diameter-mm", help="And that its shank leaves room for.")
    ] = 0.0,
    stylus_length_mm: Annotated[
        float, typer.Option("--stylus-length-mm", help="Length of that shank.")
    ] = 0.0,
    stylus_axis: Annotated[
        str,
        typer.Option(
            "--stylus-axis",
            metavar="X,Y,Z",
            help="From ball to wrist, in part axes; default: the normal of each point.",
        ),
    ] = "",
    unit: Annotated[
        str, typer.Option("--unit", help="Of a geometry file that carries none: mm, cm, m, in.")
    ] = "",
    sheets: Annotated[
        str,
        typer.Option(
            "--sheets",
            help="ignore (the default) or include: surfaces of a STEP file beside its solids.",
        ),
    ] = "",
    prefix: Annotated[str, typer.Option("--prefix", help="Of the points' names.")] = "P",
    out: Annotated[
        str,
        typer.Option(
            "--out", callback=file_option, metavar="FILE", help="Write the points there, as CSV."
        ),
    ] = "",
    as_json: Json = False,
) -> int:
    """Lay out probe points on a feature of a part, as a point file.

    Points lie where the part has surface, off its edges, and where the stylus fits.
    """
    import sys
    from pathlib import Path

    from parts.features import choose_feature
    from parts.probe import Tip
    from parts.sampling import Reach, count_for, points_csv
    from parts.sampling import sample as lay_out
    from planner.cli.exit_codes import ExitCode
    from planner.cli.output import print_json
    from planner.cli.own_file import check_own_file, write_own_file
    from reports.sampling import sample_document, sample_sentences

    _check(count, target_um, ball_diameter_mm, shank_diameter_mm, stylus_length_mm)
    if out:
        check_own_file(Path(out), _COMMAND)  # before the work, not after it
    geometry = _geometry(part, unit, sheets)
    chosen = choose_feature(geometry, feature)
    margin = edge_margin_mm * 1e-3
    if ball_diameter_mm:
        tip = Tip(
            length=stylus_length_mm * 1e-3,
            ball_radius=ball_diameter_mm * 0.5e-3,
            shank_radius=shank_diameter_mm * 0.5e-3,
        )
        away = _direction(stylus_axis) if stylus_axis else None
        reach = Reach(edge_margin=margin, geometry=geometry, tip=tip, away=away)
    else:
        reach = Reach(edge_margin=margin)
    if target_um:
        sigma, target = sigma_um * 1e-6, target_um * 1e-6
        count = count_for(chosen, strategy, sigma=sigma, target=target, reach=reach)
    found = lay_out(chosen, strategy, count or _USUAL, reach=reach, prefix=prefix)
    if out:
        write_own_file(Path(out), points_csv(found.points), _COMMAND)
    if as_json:
        print_json(sample_document(geometry, chosen, found, margin))
    elif not out:
        sys.stdout.write(points_csv(found.points))
    for sentence in sample_sentences(geometry, chosen, found, out):
        context.obj.say(sentence)
    return ExitCode.DONE


def _check(count: int, target: float, ball: float, shank: float, stylus: float) -> None:
    """Args: in the units of the options."""
    from planner.errors import OptionError

    if count and target:
        raise OptionError("--count and --target-um exclude each other; give one.")
    for option, value in (("--count", count), ("--target-um", target)):
        if not value >= 0.0:
            raise OptionError(f"{option} is {value:g}; it must be above zero.", value=value)
    if shank and not (ball and stylus):
        raise OptionError(
            "--shank-diameter-mm needs --ball-diameter-mm and --stylus-length-mm, to know where "
            "the shank is."
        )


def _geometry(part: str, unit: str, sheets: str) -> Geometry:
    """A geometry file, or a part of the library where there is no such file.

    Raises:
        OptionError: an unknown choice of sheets.
        PartError: neither, or a file that cannot be read.
    """
    from pathlib import Path

    from parts.geometry import Sheets, load_geometry
    from parts.library import names, open_part
    from planner.errors import OptionError

    choices: dict[str, Sheets | None] = {"": None, "ignore": "ignore", "include": "include"}
    if sheets not in choices:
        raise OptionError(f"--sheets is {sheets!r}; expected ignore or include.", value=sheets)
    if not Path(part).exists() and (part in names() or not Path(part).suffix):
        return open_part(part).geometry
    return load_geometry(Path(part), unit=unit or None, sheets=choices[sheets])


def _direction(text: str) -> NDArray[np.float64]:
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
