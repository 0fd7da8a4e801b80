"""What a free visiting order has gained, in one note."""

from __future__ import annotations

from planner.findings import Finding, Quantity, Severity
from planner.findings.subjects import Motion
from planner.order.fastest import OrderResult


def order_note(ordered: OrderResult) -> Finding:
    """What the order gains over the job's own, and what another might still gain."""
    cost, given = ordered.choice.cost, ordered.given.cost
    if not ordered.given_allowed:
        gain = f"takes {cost:.3f} s of motion; the job's own order breaks its groups or locks"
    elif cost < given:
        share = 100.0 * (1.0 - cost / given)
        gain = f"is {given - cost:.3f} s ({share:.1f} %) faster than the job's ({given:.3f} s)"
    else:
        gain = f"is the job's own ({given:.3f} s); none that was found is faster"
    branches = 100.0 * (1.0 - cost / ordered.fixed) if ordered.fixed > 0.0 else 0.0
    return Finding(
        code="P110",
        severity=Severity.NOTE,
        subject=Motion(),
        message=f"the visiting order {gain}; free branches gain {max(branches, 0.0):.1f} % over "
        f"fixed ones; no order is more than {100.0 * ordered.gap:.1f} % faster (proven, before "
        "detours)",
        quantities=(Quantity("gap", 100.0 * ordered.gap, "%"),),
        hint='order = "as-given" in [travel] keeps the order of the job; search = "thorough" looks '
        "longer",
    )
