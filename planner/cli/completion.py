"""``palpeur completion``: the script that teaches a shell our commands and options."""

from __future__ import annotations

from planner.cli.exit_codes import ExitCode
from planner.errors import OptionError

SHELLS = ("bash", "zsh", "fish")
_PROGRAMME, _VARIABLE = "palpeur", "_PALPEUR_COMPLETE"


def print_script(shell: str) -> int:
    """Print the script of a shell.

    Raises:
        OptionError: a shell without completion.
    """
    if shell not in SHELLS:
        raise OptionError(f"There is no completion for {shell!r}; there is {', '.join(SHELLS)}.")
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    print(get_completion_script(prog_name=_PROGRAMME, complete_var=_VARIABLE, shell=shell).strip())
    return ExitCode.DONE
