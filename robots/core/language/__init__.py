"""The description language: phrase ⇄ mechanism, and its internal tables."""

from robots.core.language.building import mechanism_of as mechanism_of
from robots.core.language.coding import internal_tables as internal_tables
from robots.core.language.parser import parse as parse
from robots.core.language.syntax import Description as Description
from robots.core.language.tables import InternalTables as InternalTables
from robots.core.language.tables_text import tables_text as tables_text
from robots.core.language.writing import Phrase as Phrase
from robots.core.language.writing import phrase_of as phrase_of
from robots.core.language.writing import to_phrase as to_phrase
