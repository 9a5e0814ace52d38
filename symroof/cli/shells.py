"""The protocol between a shell and ``symroof``: scripts to source, words in, offers out.

click has the protocol. Its scripts are replaced, because they cannot offer files beside names, add
a space after ``NAME=``, and take ``--set n=4096`` for three words in bash.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    split_arg_string,
)

from symroof.cli.completion import COMPLETE

BASH = r"""
%(complete_func)s() {
    local IFS=$'\n' response type value
    COMPREPLY=()
    response=$(env COMP_WORDS="${COMP_WORDS[*]:0:COMP_CWORD+1}" COMP_CWORD="$COMP_CWORD" \
        %(complete_var)s=bash_complete "$1" 2>/dev/null)
    while IFS=, read -r type value; do
        case $type in
            plain) COMPREPLY+=("$value") ;;
            open) COMPREPLY+=("$value"); compopt -o nospace 2>/dev/null ;;
            path) COMPREPLY+=("$value"); compopt -o filenames 2>/dev/null ;;
            dir) compopt -o plusdirs -o filenames 2>/dev/null ;;
            file) compopt -o default -o filenames 2>/dev/null ;;
        esac
    done <<< "$response"
    return 0
}
complete -o nosort -F %(complete_func)s %(prog_name)s 2>/dev/null ||
    complete -F %(complete_func)s %(prog_name)s
"""

ZSH = r"""
#compdef %(prog_name)s
%(complete_func)s() {
    local -a plain described open paths response
    local type value help
    (( $+commands[%(prog_name)s] )) || return 1
    response=("${(@f)$(env COMP_WORDS="${words[1,CURRENT]}" COMP_CWORD=$((CURRENT-1)) \
        %(complete_var)s=zsh_complete %(prog_name)s 2>/dev/null)}")
    for type value help in "${response[@]}"; do
        case $type in
            plain) if [[ $help == _ ]]; then plain+=("$value")
                   else described+=("${value//:/\\:}:$help"); fi ;;
            open) open+=("$value") ;;
            path) paths+=("$value") ;;
            dir) _path_files -/ ;;
            file) _path_files -f ;;
        esac
    done
    (( $#described )) && _describe -V unsorted described
    (( $#plain )) && compadd -V unsorted -a plain
    (( $#open )) && compadd -S '' -V unsorted -a open
    (( $#paths )) && compadd -f -V unsorted -a paths
    return 0
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    %(complete_func)s "$@"
else
    compdef %(complete_func)s %(prog_name)s
fi
"""

FISH = r"""
function %(complete_func)s
    set -l response (env COMP_WORDS=(commandline -cp | string collect) \
        COMP_CWORD=(commandline -ct | string collect) \
        %(complete_var)s=fish_complete %(prog_name)s 2>/dev/null)
    for completion in $response
        set -l parts (string split -m 1 "," -- $completion)
        switch $parts[1]
            case plain open path
                echo $parts[2]
            case dir
                __fish_complete_directories $parts[2]
            case file
                __fish_complete_path $parts[2]
        end
    end
end
complete --no-files --keep-order --command %(prog_name)s --arguments "(%(complete_func)s)"
"""


def answer(command: click.Command, name: str, wanted: str) -> int:
    """Print what a shell wants; never an error, for it would stand in the middle of a line.

    Parameters
    ----------
    command : click.Command
        The whole command line.
    name : str
        What the program is called.
    wanted : str
        ``bash_complete``, ``fish_source``, and so on.

    Returns
    -------
    int
        The exit code: 1 where the shell wants what nobody knows.
    """
    shell, _, action = wanted.partition("_")
    if shell not in SHELLS or action not in ("complete", "source"):
        return 1
    completer = SHELLS[shell](command, {}, name, COMPLETE)
    with suppress(Exception, KeyboardInterrupt):
        click.echo(completer.source() if action == "source" else completer.complete())
    return 0


def script(command: click.Command, name: str, shell: str) -> str:
    """Return the script that makes a shell complete the command `name`.

    Examples
    --------
    >>> script(click.Command("roof"), "roof", "fish").splitlines()[0]
    'function _roof_completion'
    """
    return SHELLS[shell](command, {}, name, COMPLETE).source()


class _Shell(ShellComplete):
    """What the three shells have in common."""

    def source(self) -> str:
        return (self.source_template % self.source_vars()).lstrip()

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """Return offers for the whole word, that of ``--chip=h1`` included."""
        self.ctx_args["obj"] = list(args)
        items = super().get_completions(list(args), incomplete)
        if not items and not incomplete and not (args and args[-1].startswith("-")):
            items = super().get_completions(args, "-")
        option, equals, _ = incomplete.partition("=")
        head = option + equals if equals and option.startswith("-") else ""
        return [
            CompletionItem(head + item.value, item.type, _line(item.help))
            for item in items
            if str(item.value).isprintable()
        ]


class _Bash(_Shell, BashComplete):
    source_template = BASH

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words; the script sends each in a line, and ``n=4096`` in three."""
        text, current = os.environ["COMP_WORDS"], int(os.environ["COMP_CWORD"])
        found = split_arg_string(text)
        if "\n" in text:
            found = [" ".join(split_arg_string(word)) for word in text.split("\n")]
        words: list[str] = []
        joins = False
        for word in found[: current + 1]:
            if words and (word == "=" or (joins and word)):
                words[-1] += word
            else:
                words.append(word)
            joins = word == "="
        incomplete = words.pop() if len(found) > current else ""
        return words[1:], incomplete

    def complete(self) -> str:
        """Return the offers; bash wants what comes after the last ``=`` only."""
        args, incomplete = self.get_completion_args()
        done = incomplete.rfind("=") + 1
        items = self.get_completions(args, incomplete)
        return "\n".join([f"{item.type},{str(item.value)[done:]}" for item in items])


class _Zsh(_Shell, ZshComplete):
    source_template = ZSH

    def format_completion(self, item: CompletionItem) -> str:
        return f"{item.type}\n{item.value}\n{item.help or '_'}"


class _Fish(_Shell, FishComplete):
    source_template = FISH


SHELLS: Mapping[str, type[ShellComplete]] = {"bash": _Bash, "zsh": _Zsh, "fish": _Fish}


def _line(text: str | None) -> str | None:
    line = " ".join("".join(c if c.isprintable() else " " for c in text or "").split())
    return line[:100] or None
