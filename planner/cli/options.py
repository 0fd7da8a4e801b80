"""Arguments and options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

Robot = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        help="Name from `palpeur robot list`, or path of a robot file (.toml, .urdf).",
        show_default=False,
    ),
]
Tip = Annotated[
    str,
    typer.Option(
        "--tip",
        metavar="LINK",
        help="Link of a URDF file whose frame is the tool frame; else tool0, flange, tcp or tool, "
        "else the last link behind the most moving joints.",
        show_default=False,
    ),
]
States = Annotated[
    str,
    typer.Option(
        "--states",
        metavar="FILE",
        help="CSV table of states, a unit in every column's name; - reads standard input.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print exactly one JSON document, in SI units.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV with units in the header, in SI.")]
Inverse = Annotated[
    bool, typer.Option("--inverse", help="The inverse model: joint rates of given tool rates.")
]
Task = Annotated[
    str,
    typer.Option(
        "--task",
        metavar="TASK",
        help="What of the tool counts: pose, position, position-and-axis, axis, plane-position, "
        "plane-pose.",
    ),
]
