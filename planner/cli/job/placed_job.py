"""``palpeur place``: from a job file to the best pose of its part."""

from __future__ import annotations

import sys
from pathlib import Path

from planner.cli.exit_codes import ExitCode
from planner.cli.session import Session, progress_of
from planner.result_files import check_folder_place, check_set


def run_place(
    job: str, out: str, *, as_json: bool, figures: bool, allow_outside: bool, session: Session
) -> int:
    """Search, work out the tolerance, print, write.

    Args:
        job: path of the job file.
        out: folder of the results, or nothing for the one beside the job.
        as_json: whether the document is printed as JSON.
        figures: whether the reach map is drawn.
        allow_outside: whether files that the job names may lie outside its folder.
        session: of this run.

    Raises:
        JobError: the job cannot be read, or its points do not go with its part.
        RobotError: the robot cannot do such a job.
        OutputError: the folder must not be replaced, or cannot be written.
    """
    from planner.job import read_job
    from planner.part_pose.place import place
    from reports.place import KIND, place_document, place_lines, reach_map_png, write_place_set
    from reports.plan_document import document_text

    folder = Path(out) if out else Path(job).parent / f"{Path(job).stem}-place"
    if not out and Path(job).is_file():  # what --out names was looked at already
        check_folder_place(folder)
    check_set(folder, KIND, force=session.force)  # before the work, not after it
    read = read_job(job, allow_outside=allow_outside, fixed_part=True)
    with progress_of(session) as progress:
        found = place(read, progress, maps=figures)
    text = document_text(place_document(found.placing, found.tolerances))
    lines = "\n".join(place_lines(found.placing, found.tolerances)) + "\n"
    sys.stdout.write(text if as_json else lines)
    figure = None if found.maps is None else reach_map_png(found.maps, read.name)
    write_place_set(folder, text, figure, force=session.force)
    session.say(f"Placing written to {folder}")
    return ExitCode.DONE if found.feasible else ExitCode.FAILED
