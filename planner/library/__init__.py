"""Jobs as data: the published nine-point job, and one job for each thing a plan must prove."""

from planner.library.catalogue import ExampleFacts as ExampleFacts
from planner.library.catalogue import facts_of as facts_of
from planner.library.catalogue import names as names
from planner.library.catalogue import path_of as path_of
from planner.library.catalogue import read_example as read_example
