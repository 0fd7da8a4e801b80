"""``palpeur init``: a job to start from."""

from __future__ import annotations

import shlex

from planner.cli.exit_codes import ExitCode


def run_init(folder: str, *, force: bool = False) -> int:
    """Write the template's files and say how to run them.

    Raises:
        OutputError: a file is there already, or the folder cannot be written.
    """
    from planner.job import write_template

    paths = write_template(folder, force=force)
    for path in paths:
        print(path)
    print(f"\nRun it with: palpeur plan {shlex.quote(str(paths[0]))}")
    return ExitCode.DONE
