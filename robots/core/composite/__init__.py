"""Composite models: robots made of sub-robots of which only the models are known."""

from robots.core.composite.base_distal import base_distal_change as base_distal_change
from robots.core.composite.benchmark import CompositeCost as CompositeCost
from robots.core.composite.benchmark import composite_cost as composite_cost
from robots.core.composite.benchmark import compositions as compositions
from robots.core.composite.chaining import Branch as Branch
from robots.core.composite.chaining import chain as chain
from robots.core.composite.chaining import tree as tree
from robots.core.composite.comparison import Comparison as Comparison
from robots.core.composite.comparison import compared as compared
from robots.core.composite.composition import Composition as Composition
from robots.core.composite.composition import by_symmetry as by_symmetry
from robots.core.composite.composition import cut as cut
from robots.core.composite.composition import standing_on as standing_on
from robots.core.composite.floating import floating_base as floating_base
from robots.core.composite.mirror import mirrored as mirrored
from robots.core.composite.mirror import rearranged as rearranged
from robots.core.composite.mirrored_mechanism import mirrored_mechanism as mirrored_mechanism
from robots.core.composite.own_model import recorded_sub_model as recorded_sub_model
from robots.core.composite.own_model import sub_model as sub_model
from robots.core.composite.splitting import Split as Split
from robots.core.composite.splitting import joined as joined
from robots.core.composite.splitting import split as split
from robots.core.composite.sub_model import SubModel as SubModel
from robots.core.composite.symmetry import MirrorPair as MirrorPair
from robots.core.composite.symmetry import mirror_pairs as mirror_pairs
