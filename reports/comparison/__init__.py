"""Two plans side by side: what changed, for the better or the worse, and rules about it."""

from reports.comparison.change import Change as Change
from reports.comparison.change import ChangeVerdict as ChangeVerdict
from reports.comparison.change import Counterparts as Counterparts
from reports.comparison.change import Section as Section
from reports.comparison.compare import PlanComparison as PlanComparison
from reports.comparison.compare import compare as compare
from reports.comparison.compare import read_plan as read_plan
from reports.comparison.document import comparison_document as comparison_document
from reports.comparison.rules import Rule as Rule
from reports.comparison.rules import RuleVerdict as RuleVerdict
from reports.comparison.rules import judged as judged
from reports.comparison.rules import parse_rule as parse_rule
