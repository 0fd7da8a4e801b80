"""Recording: equations run once over recorded nodes become a straight-line programme."""

from robots.core.recording.programme import Instruction as Instruction
from robots.core.recording.programme import Operation as Operation
from robots.core.recording.programme import OperationCounts as OperationCounts
from robots.core.recording.programme import Programme as Programme
from robots.core.recording.recorder import Node as Node
from robots.core.recording.recorder import Recorder as Recorder
from robots.core.recording.recorder import recording_functions as recording_functions
from robots.core.recording.remembered import remembered as remembered
