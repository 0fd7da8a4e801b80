"""The files of a platform's motion: figures, table, document and page; whole or not at all."""

from __future__ import annotations

from pathlib import Path

from reports.atomic_folder import atomic_folder
from reports.own_files import check_own_files
from reports.page.scene import embeds
from reports.stewart.leg_motion import LegMotion

_DRAWN = ("leg-length", "leg-speed", "leg-acceleration", "leg-force")
_NAMES = (
    *("motion.json", "motion.csv", "page.html", "scene.html"),
    *(f"{name}.{form}" for name in _DRAWN for form in ("png", "svg")),
)


def write_motion_set(shown: LegMotion, document: str, folder: Path) -> None:
    """Write the files; those of an earlier motion are replaced.

    Args:
        shown: what is written.
        document: text of its JSON document.
        folder: new, empty, or holding an earlier motion and nothing else.

    Raises:
        OutputError: the folder holds other files, or cannot be written.
    """
    from reports.scene.viser_scene import scene_html
    from reports.stewart.figures import draw_leg_figures
    from reports.stewart.motion_document import samples_csv
    from reports.stewart.page import leg_page
    from reports.stewart.scene import leg_scene

    with atomic_folder(folder, check_motion_set) as fresh:
        (fresh / "motion.json").write_text(document, encoding="utf-8", newline="")
        (fresh / "motion.csv").write_text(samples_csv(shown), encoding="utf-8", newline="")
        for name, content in draw_leg_figures(shown).items():
            (fresh / name).write_bytes(content)
        replay = scene_html(leg_scene(shown), dark=None)
        if not embeds(replay):
            (fresh / "scene.html").write_text(replay, encoding="utf-8", newline="")
        (fresh / "page.html").write_text(leg_page(shown, replay), encoding="utf-8", newline="")


def check_motion_set(folder: Path) -> None:
    """Whether a motion may take a place: it is free, empty, or holds an earlier one.

    Raises:
        OutputError: it holds anything else; the message names it.
    """
    check_own_files(folder, _NAMES, "palpeur stewart move")
