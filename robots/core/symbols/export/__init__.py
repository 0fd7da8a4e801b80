"""Export: recorded programmes as source code with its own test, for Python, C, MATLAB and LaTeX."""

from robots.core.symbols.export.dialect import Language as Language
from robots.core.symbols.export.source import EXPORTED as EXPORTED
from robots.core.symbols.export.source import SourceFile as SourceFile
from robots.core.symbols.export.source import export as export
from robots.core.symbols.export.source import export_programmes as export_programmes
