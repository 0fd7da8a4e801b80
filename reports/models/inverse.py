"""Answers about how a robot's inverse is derived: its steps as text, LaTeX or JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from robots.core.chain_inverse.explanation import ExplainedStep, Explanation

_TYPES = {1: "X r = Y", 2: "one angle, one equation", 3: "one angle, two equations", 5: "a length"}


def explanation_lines(found: Explanation) -> Iterator[str]:
    """The derivation for a terminal."""
    yield f"Inverse of {found.robot}: {found.method.value}."
    yield from _head(found)
    if found.steps:
        yield "T = [n s a p] is the pose of the tool; S2 and C2 are sine and cosine of joint 2."
    for place, step in enumerate(found.steps, start=1):
        yield ""
        yield f"{place}. {step.joint}: type {step.paul}, {_roots(step)}; {step.source}"
        yield f"   {step.equation}"
        yield from (f"     {name} = {value}" for name, value in step.factors)
    yield ""
    yield f"Branches, by the signs of the roots: {', '.join(found.branches)}"


def explanation_latex(found: Explanation) -> Iterator[str]:
    """The derivation as a LaTeX fragment for amsmath."""
    yield f"% Inverse of {found.robot}: {found.method.value}."
    yield from (f"% {line}" for line in _head(found))
    for place, step in enumerate(found.steps, start=1):
        yield rf"% {place}. {step.joint}: type {step.paul}, {_roots(step)}; {step.source}"
        yield r"\begin{align*}"
        yield ",\\\\\n".join(f"  & {line}" for line in step.latex)
        yield r"\end{align*}"


def explanation_document(found: Explanation) -> dict[str, Any]:
    """The same for programs."""
    return {
        "format": 1,
        "robot": found.robot,
        "method": found.method.value,
        "branches": list(found.branches),
        "snap": found.snap,
        "assumed": found.assumed,
        "degree": found.degree,
        "check": found.check,
        "steps": [
            {
                "joint": step.joint,
                "type": step.paul,
                "roots": step.roots,
                "relation": step.source,
                "equation": step.equation,
                "factors": dict(step.factors),
                "latex": list(step.latex),
            }
            for step in found.steps
        ],
    }


def _head(found: Explanation) -> Iterator[str]:
    if found.assumed:
        yield (
            f"Values of {found.assumed} are the roots of a polynomial of {found.degree} harmonics, "
            f"{2 * found.degree} roots at most: {found.check}."
        )
    if not found.steps:
        yield "Raghavan and Roth's equations as eigenvalues of a matrix of size 24: no steps."
    if found.snap > 1e-9:
        yield (
            f"Axes that miss each other or being parallel by {found.snap:.1e} of the robot's "
            "length are taken as meant; Newton steps make up for it."
        )


def _roots(step: ExplainedStep) -> str:
    kind = _TYPES.get(step.paul, "")
    return f"{kind}, {step.roots} root{'s' if step.roots > 1 else ''}"
