"""The description language: phrase ⇄ mechanism, and its internal tables."""

from robots.core.language.conversion import Phrase as Phrase
from robots.core.language.conversion import mechanism_of as mechanism_of
from robots.core.language.conversion import phrase_of as phrase_of
from robots.core.language.conversion import to_phrase as to_phrase
from robots.core.language.syntax import Description as Description
from robots.core.language.syntax import parse as parse
from robots.core.language.tables import InternalTables as InternalTables
from robots.core.language.tables import internal_tables as internal_tables
from robots.core.language.tables import tables_text as tables_text
