"""``palpeur verify``: a report set beside what its inputs give."""

from __future__ import annotations

import sys
from pathlib import Path

from planner.cli.exit_codes import ExitCode
from planner.cli.progress_bar import progress_of
from planner.cli.session import Session


def run_verify(folder: str, *, as_json: bool, session: Session) -> int:
    """Verify a report set and print the verdict.

    Args:
        folder: of the set.
        as_json: whether the result is printed as JSON.
        session: of this run.

    Raises:
        OptionError: no report set, or of another format.
    """
    from reports.plan_document import document_text
    from reports.verification import verified_document, verified_lines, verify
    from reports.verification.verified import VerificationVerdict

    with progress_of(session) as progress:
        found = verify(Path(folder), progress)
    lines = "".join(f"{line}\n" for line in verified_lines(found))
    sys.stdout.write(document_text(verified_document(found)) if as_json else lines)
    if found.verdict is VerificationVerdict.GENUINE:
        return ExitCode.DONE
    return ExitCode.BAD_INPUT if found.verdict is VerificationVerdict.UNKNOWN else ExitCode.FAILED
