"""The job that ``palpeur init`` writes: text to start from, ready to run."""

from planner.job.template.files import job_template as job_template
from planner.job.template.files import write_template as write_template
