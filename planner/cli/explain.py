"""``palpeur explain``: the page of a finding, or one point of a job."""

from __future__ import annotations

import textwrap
from dataclasses import asdict
from pathlib import Path

from planner.cli.exit_codes import ExitCode
from planner.cli.session import Session
from planner.errors import OptionError
from planner.findings import Page, page, pages

_WIDTH = 88


def run_explain(
    subject: str, point: str, *, as_json: bool, allow_outside: bool, session: Session
) -> int:
    """Explain a finding's code, or a point of a job.

    Args:
        subject: a code, the path of a job file where a point is given, or nothing for all codes.
        point: name of a point, or nothing.
        as_json: whether a JSON document is printed.
        allow_outside: whether files that the job names may lie outside its folder.
        session: of this run.

    Raises:
        FindingError: no such code.
        OptionError: a job without a point, or after it.
        PlannerError: the job cannot be read, or has no such point.
    """
    if point:
        if Path(point).suffix.lower() == ".toml" and not Path(subject).is_file():
            raise OptionError(
                f"{subject} is no job file, but {point} looks like one: the job comes first, as in "
                f"palpeur explain {point} {subject}.",
                job=point,
            )
        from planner.cli.job.explain_point import run_explain as explain_point

        return explain_point(
            subject, point, as_json=as_json, allow_outside=allow_outside, session=session
        )
    if Path(subject).suffix.lower() == ".toml":
        raise OptionError(
            f"{subject} is a job: name the point too, as in palpeur explain {subject} P17; "
            "palpeur check lists the points that fail.",
            job=subject,
        )
    return print_page(subject, as_json=as_json)


def print_page(code: str, *, as_json: bool) -> int:
    """Print one page, or the list of codes.

    Raises:
        FindingError: no such code.
    """
    from planner.cli.output import print_json, print_table

    if not code:
        if as_json:
            print_json({"format": 1, "findings": [asdict(item) for item in pages()]})
        else:
            print_table(("code", "finding"), [(item.code, item.title) for item in pages()])
        return ExitCode.DONE
    found = page(code)
    if as_json:
        print_json({"format": 1, **asdict(found)})
    else:
        print(page_text(found))
    return ExitCode.DONE


def page_text(found: Page) -> str:
    """A page as text of limited width."""
    parts = [f"{found.code}: {found.title}"]
    for title, text in (("Meaning", found.meaning), ("Cause", found.cause), ("Fix", found.fix)):
        body = textwrap.fill(text, _WIDTH, initial_indent="  ", subsequent_indent="  ")
        parts.append(f"{title}\n{body}")
    return "\n\n".join(parts)
