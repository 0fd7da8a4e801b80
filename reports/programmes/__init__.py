"""Programmes for machines, and plans to exchange: all motion explicit in them.

DMIS, I++ DME and QIF for those that measure; joint trajectories for robots' controllers.
"""

from reports.programmes.exports import EXPORTS as EXPORTS
from reports.programmes.exports import Export as Export
from reports.programmes.exports import check_formats as check_formats
from reports.programmes.exports import programmes as programmes
