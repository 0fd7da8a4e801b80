"""The page of every finding code; ``palpeur explain CODE`` prints it.

R1xx: robot files. R2xx: states, inverse models and dynamics. P1xx: plans. S2xx: motions of a
Stewart-Gough platform. B3xx: motions of a biped. E1xx: measured points.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from planner.errors import FindingError


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a finding means.

    Args:
        code: stable, never used again for something else.
        title: a few words.
        meaning: what was found.
        cause: where it usually comes from.
        fix: what to do.
    """

    code: str
    title: str
    meaning: str
    cause: str
    fix: str


def pages() -> tuple[Page, ...]:
    """All pages, in the order of their codes."""
    from planner.findings.biped_pages import BIPED_PAGES
    from planner.findings.clearance_pages import CLEARANCE_PAGES
    from planner.findings.detour_pages import DETOUR_PAGES
    from planner.findings.evaluation_pages import EVALUATION_PAGES
    from planner.findings.model_pages import MODEL_PAGES
    from planner.findings.plan_pages import PLAN_PAGES
    from planner.findings.presenter_pages import PRESENTER_PAGES
    from planner.findings.robot_file_pages import ROBOT_FILE_PAGES
    from planner.findings.stewart_pages import STEWART_PAGES
    from planner.findings.uncertainty_pages import UNCERTAINTY_PAGES

    plans = PLAN_PAGES + CLEARANCE_PAGES + DETOUR_PAGES + PRESENTER_PAGES + UNCERTAINTY_PAGES
    return BIPED_PAGES + EVALUATION_PAGES + plans + ROBOT_FILE_PAGES + MODEL_PAGES + STEWART_PAGES


def page(code: str) -> Page:
    """The page of a code, in any case of letters.

    Raises:
        FindingError: no such code; the message names the nearest ones.
    """
    by_code = {item.code: item for item in pages()}
    wanted = code.strip().upper()
    if wanted in by_code:
        return by_code[wanted]
    near = [c for c in by_code if wanted and c.startswith(wanted)]
    near = near or sorted(get_close_matches(wanted, by_code, n=3, cutoff=0.5))
    advice = f"the nearest: {', '.join(near)}" if near else f"there are {', '.join(by_code)}"
    raise FindingError(f"There is no finding {code!r}; {advice}.", code=code, nearest=tuple(near))
