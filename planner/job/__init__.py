"""Job files: what is measured, by which robot, and how."""

from planner.job.elements import JobInput as JobInput
from planner.job.elements import PlacedPart as PlacedPart
from planner.job.evaluation import EvaluationSettings as EvaluationSettings
from planner.job.job import Job as Job
from planner.job.job import json_schema as json_schema
from planner.job.job import read_job as read_job
from planner.job.settings import Approach as Approach
from planner.job.settings import Checks as Checks
from planner.job.settings import FeatureApproach as FeatureApproach
from planner.job.settings import PlaceSettings as PlaceSettings
from planner.job.settings import Probe as Probe
from planner.job.settings import ProbeBody as ProbeBody
from planner.job.settings import Travel as Travel
from planner.job.template import job_template as job_template
from planner.job.template import write_template as write_template
from planner.job.uncertainty import UncertaintySettings as UncertaintySettings
