"""Paul's method: the eight equation types of [LAMMARI12] table II.1, with all their real roots."""

from robots.core.paul.roots import DEFAULT_TOLERANCES as DEFAULT_TOLERANCES
from robots.core.paul.roots import Case as Case
from robots.core.paul.roots import Roots as Roots
from robots.core.paul.roots import Tolerances as Tolerances
from robots.core.paul.sine import solve_type_2 as solve_type_2
from robots.core.paul.sine import solve_type_3 as solve_type_3
from robots.core.paul.sliding import solve_type_1 as solve_type_1
from robots.core.paul.sliding import solve_type_4 as solve_type_4
from robots.core.paul.sliding import solve_type_5 as solve_type_5
from robots.core.paul.triangle import solve_type_6 as solve_type_6
from robots.core.paul.triangle import solve_type_7 as solve_type_7
from robots.core.paul.triangle import solve_type_8 as solve_type_8
