"""The files of a platform's motion: figures, table, document and page; whole or not at all."""

from __future__ import annotations

from pathlib import Path

from planner.result_files import result_set
from reports.page.scene import embeds
from reports.stewart.motion import PlatformMotion

KIND = "platform motion"


def write_motion_set(
    shown: PlatformMotion, document: str, folder: Path, *, force: bool = False
) -> None:
    """Write the files; those of an earlier motion are replaced.

    Args:
        shown: what is written.
        document: text of its JSON document.
        folder: new, empty, or holding an earlier motion and nothing else.
        force: whether a folder with other files is written to all the same.

    Raises:
        OutputError: the folder holds other files, or cannot be written.
    """
    from reports.scene.viser_scene import scene_html
    from reports.stewart.figures import draw_leg_figures
    from reports.stewart.motion import samples_csv
    from reports.stewart.page import leg_page
    from reports.stewart.scene import leg_scene

    with result_set(folder, KIND, force=force) as fresh:
        (fresh / "motion.json").write_text(document, encoding="utf-8", newline="")
        (fresh / "motion.csv").write_text(samples_csv(shown), encoding="utf-8", newline="")
        for name, content in draw_leg_figures(shown).items():
            (fresh / name).write_bytes(content)
        replay = scene_html(leg_scene(shown), dark=None)
        if not embeds(replay):
            (fresh / "scene.html").write_text(replay, encoding="utf-8", newline="")
        (fresh / "page.html").write_text(leg_page(shown, replay), encoding="utf-8", newline="")
