"""Condensed Lagrange equations in the form of [LIEGEOIS80] §4.

They are no reading of ``robots.core.equations``: augmented bodies, inertia and speed coefficients
are constructed here, in the order of the source, so that they print as it prints them. A test holds
that both are the same expressions.
"""
