"""Evaluation of a job: measured points in, verdicts and findings out."""

from planner.evaluation.evaluate import check_measured as check_measured
from planner.evaluation.evaluate import evaluate as evaluate
from planner.evaluation.evaluation import Evaluation as Evaluation
from planner.evaluation.evaluation import EvaluationAlignment as EvaluationAlignment
from planner.evaluation.job_evaluation import JobEvaluation as JobEvaluation
from planner.evaluation.job_evaluation import evaluate_job as evaluate_job
from planner.evaluation.reading import read_measured as read_measured
from planner.evaluation.task import nominal_points as nominal_points
