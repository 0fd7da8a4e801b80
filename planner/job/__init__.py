"""Job files: what is measured, by which robot, and how."""

from planner.job.job import Approach as Approach
from planner.job.job import Checks as Checks
from planner.job.job import Job as Job
from planner.job.job import JobInput as JobInput
from planner.job.job import Part as Part
from planner.job.job import Probe as Probe
from planner.job.job import Travel as Travel
from planner.job.read import json_schema as json_schema
from planner.job.read import read_job as read_job
from planner.job.template import job_template as job_template
from planner.job.template import write_template as write_template
