"""The first case of every sweep, held against the schema of jobs before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planner.batch.case import Case
from planner.errors import JobError


def faults_of_first_cases(cases: Sequence[Case]) -> Iterator[str]:
    """What the job schema refuses in the first case of each sweep, such as a misspelt key.

    Only the schema is asked, so no file that a job names is read, and other cases may still be
    right where a sweep varies what decides which keys there are.

    Args:
        cases: of a batch, in order.
    """
    seen: set[str] = set()
    for case in cases:
        sweep = case.name.rpartition("#")[0]
        if case.text and sweep not in seen:
            seen.add(sweep)
            fault = _fault(case)
            if fault is not None:
                yield fault.message


def _fault(case: Case) -> JobError | None:
    from pydantic import ValidationError

    from planner.job.job_text import JobText, job_text, job_vocabulary
    from planner.job.schema import JobFile
    from robots.core.robot_file.source_text import SourceText
    from robots.core.schema_problems import schema_error

    try:
        JobFile.model_validate(job_text(case.job, case.text, in_file=False).document())
    except JobError as error:
        return error
    except ValidationError as error:
        # no file holds the text of a case, so a line of it would lead nowhere
        nameless = JobText(source=SourceText(origin=case.name, text=""), raw=b"")
        return schema_error(nameless, error, job_vocabulary())
    return None
