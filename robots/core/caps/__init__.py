"""How much input may ask for; the one leaf that every room may import, see pyproject.toml."""

from robots.core.caps.cap import Cap as Cap
from robots.core.caps.cap import changed_caps as changed_caps
from robots.core.caps.reading import read_capped as read_capped
from robots.core.caps.reading import reason_of as reason_of
