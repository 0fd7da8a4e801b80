"""The files of a biped's motion: figures, table, document and page; whole or not at all."""

from __future__ import annotations

from pathlib import Path

from planner.result_files import result_set
from reports.biped.motion import ReportedMotion
from reports.page.scene import embeds

KIND = "biped motion"


def write_motion_set(
    shown: ReportedMotion, document: str, folder: Path, *, force: bool = False
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
    from reports.biped.figures import draw_figures
    from reports.biped.motion import samples_csv
    from reports.biped.page import biped_page
    from reports.biped.scene import biped_scene
    from reports.scene.viser_scene import scene_html

    with result_set(folder, KIND, force=force) as fresh:
        (fresh / "motion.json").write_text(document, encoding="utf-8", newline="")
        (fresh / "motion.csv").write_text(samples_csv(shown), encoding="utf-8", newline="")
        figures = draw_figures(shown)
        for name, content in figures.items():
            (fresh / name).write_bytes(content)
        replay = scene_html(biped_scene(shown), dark=None)
        if not embeds(replay):
            (fresh / "scene.html").write_text(replay, encoding="utf-8", newline="")
        page = biped_page(shown, replay, figures)
        (fresh / "page.html").write_text(page, encoding="utf-8", newline="")
