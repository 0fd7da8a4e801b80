"""Programmes for machines, and plans to exchange: all motion explicit in them.

DMIS, I++ DME and QIF for those that measure; joint trajectories for robots' controllers.
"""

from reports.programmes.programmes import EXPORTS as EXPORTS
from reports.programmes.programmes import Export as Export
from reports.programmes.programmes import programmes as programmes
