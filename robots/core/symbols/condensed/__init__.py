"""Condensed Lagrange equations in the form of [LIEGEOIS80] §4.

They are no reading of ``robots.core.equations``: augmented bodies, inertia and speed coefficients
are constructed here, in the order of the source, so that they print as it prints them. A test holds
that both are the same expressions.
"""

from robots.core.symbols.condensed.chain import SymbolicChain as SymbolicChain
from robots.core.symbols.condensed.chain import SymbolicLink as SymbolicLink
from robots.core.symbols.condensed.chain import Tensor as Tensor
from robots.core.symbols.condensed.chain import from_description as from_description
from robots.core.symbols.condensed.chain import from_mechanism as from_mechanism
from robots.core.symbols.condensed.equations import CondensedEquations as CondensedEquations
from robots.core.symbols.condensed.equations import condensed_equations as condensed_equations
from robots.core.symbols.condensed.equations import described_equations as described_equations
from robots.core.symbols.condensed.neglect import NeglectedEquations as NeglectedEquations
from robots.core.symbols.condensed.neglect import OperatingRanges as OperatingRanges
from robots.core.symbols.condensed.neglect import neglect as neglect
