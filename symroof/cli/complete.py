"""What the shell offers to complete: names of the library, symbols of SPEC, files.

Nothing here raises or prints on the way: whatever goes wrong, nothing is offered. What is asked
most (commands, chips, algorithms, symbols that a spec declares) is listed without the library
behind it, which takes too long to load between two keys.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click import Context, Parameter
    from click.shell_completion import CompletionItem

Items = list["CompletionItem"]

PACKAGE = Path(__file__).parents[1]
CHIPS, LIBRARY = PACKAGE / "hardware" / "chips", PACKAGE / "graph" / "library"
SYSTEMS = PACKAGE / "hardware" / "systems"
MODELS = PACKAGE / "models" / "configs"
RATES = {
    "bw": "bandwidth of the main memory",
    "peak": "peak compute",
    "link": "bandwidth of a link",
    "ridge": "critical intensity",
}
STEP = {"B": "sequences that decode", "S": "tokens in the context"}
"""Symbols of a decoding step of a model."""
LENGTHS = {
    "S": STEP["S"],
    "p": "tokens of a prompt",
    "d": "new tokens",
    "E": "tokens of an encoder",
}
"""Symbols that the report of a model takes."""
MOST_FILES = 1000
MOST_BYTES = 1_000_000
"""Of a spec whose declared symbols are read."""
MOST_BYTES_LOADED = 200_000
"""Of a spec without declared symbols, which is loaded as a graph to find them."""


def complete_spec(context: Context, parameter: Parameter, incomplete: str) -> Items:
    """Offer the named algorithms and models, and files; einsum strings are the user's own."""
    return [
        *_named(LIBRARY, incomplete),
        *_models(incomplete),
        *_files(incomplete, ["toml", "json"]),
    ]


def complete_model(context: Context, parameter: Parameter, incomplete: str) -> Items:
    """Offer the models of the catalogue and JSON files."""
    return [*_models(incomplete), *_files(incomplete, ["json"])]


def complete_chip(context: Context, parameter: Parameter, incomplete: str) -> Items:
    """Offer the chips of the catalogue, their aliases once something is typed, and TOML files."""
    return [
        *(_named(CHIPS, incomplete) or _aliases(incomplete)),
        *_files(incomplete, ["toml"]),
    ]


def complete_system(context: Context, parameter: Parameter, incomplete: str) -> Items:
    """Offer the systems of the catalogue, chips after a number (``8x``), and TOML files."""
    counted = re.match(r"(?:\d+x)+", incomplete)
    if counted is not None:
        start = counted[0]
        chips = _named(CHIPS, incomplete[len(start) :])
        return [_item(f"{start}{item.value}", help=item.help) for item in chips]
    return [*_named(SYSTEMS, incomplete), *_files(incomplete, ["toml"])]


def complete_op(context: Context, parameter: Parameter, incomplete: str) -> Items:
    """Offer the ops and the named algorithms."""
    from symroof.graph.registry import kinds

    counts = {name: kind.count for name, kind in kinds().items()}
    named = [item for item in _named(LIBRARY, incomplete) if item.value not in counts]
    return [*_starting(incomplete, counts), *named]


def complete_dtype(context: Context, parameter: Parameter, incomplete: str) -> Items:
    """Offer the dtypes."""
    from symroof.units.dtype import dtypes

    return _starting(incomplete, dict.fromkeys(dtypes(), ""))


def complete_symbol(context: Context, parameter: Parameter, incomplete: str) -> Items:
    """Offer the symbols of the given SPEC that are not set, and the rates."""
    return _starting(incomplete, _free(context))


def complete_binding(context: Context, parameter: Parameter, incomplete: str) -> Items:
    """Offer ``NAME=`` for the symbols of SPEC and the rates, and the spec's own value after it."""
    name, equals, value = incomplete.partition("=")
    if equals:
        default = _symbols(_given(context)).get(name, ("", ""))[1]
        offered = [default] if default.startswith(value) and default else []
        return [_item(f"{name}={text}", help="by default") for text in offered]
    return [_item(f"{item.value}=", "open", item.help) for item in _starting(name, _free(context))]


class OutputPath(click.Path):
    """The type of an option that names a file to write; the shell offers its extensions.

    Parameters
    ----------
    extensions : sequence of str, or callable that returns one
        Without the dot, the usual one first.
    stem : str
        The name that is offered while none is typed.
    """

    def __init__(
        self, extensions: Sequence[str] | Callable[[], Sequence[str]], stem: str = ""
    ) -> None:
        super().__init__(dir_okay=False, path_type=Path)
        self.extensions = extensions
        self.stem = stem

    def shell_complete(self, ctx: Context, param: Parameter, incomplete: str) -> Items:
        """Offer what is typed with each extension, files that have one, and folders."""
        extensions = self.extensions() if callable(self.extensions) else self.extensions
        folder, slash, typed = incomplete.rpartition("/")
        stem, dot, ending = typed.rpartition(".")
        if not dot or not any(extension.startswith(ending) for extension in extensions):
            stem, ending = typed, ""
        stem = stem or ("" if typed else self.stem)
        new = [
            _item(f"{folder}{slash}{stem}.{extension}", "path")
            for extension in extensions
            if stem and extension.startswith(ending)
        ]
        offered = {item.value for item in new}
        found = _files(incomplete, extensions)
        return [*new, *(item for item in found if item.value not in offered)]


def _item(value: str, type: str = "plain", help: str | None = "") -> CompletionItem:  # noqa: A002
    """Return an item; beside click's types there are ``path``, and ``open``, which goes on."""
    from click.shell_completion import CompletionItem

    return CompletionItem(value, type, help or None)


def _starting(incomplete: str, meanings: Mapping[str, str]) -> Items:
    """Return the names that go on from what is typed; without regard to case if there are none."""
    found = [name for name in meanings if name.startswith(incomplete)]
    if not found:
        lower = incomplete.lower()
        found = [name for name in meanings if name.lower().startswith(lower)]
    return [_item(name, help=meanings[name]) for name in found]


def _named(folder: Path, incomplete: str) -> Items:
    paths = {path.stem: path for path in sorted(folder.glob("*.toml"), key=lambda p: p.stem)}
    items = _starting(incomplete, dict.fromkeys(paths, ""))
    return [_item(item.value, help=_top(paths[item.value]).get("title")) for item in items]


def _models(incomplete: str) -> Items:
    names = sorted(path.stem for path in MODELS.glob("*.json"))
    return _starting(incomplete, dict.fromkeys(names, "language model"))


def _aliases(incomplete: str) -> Items:
    """Return the other names of chips; the catalogue does not mind hyphens for spaces."""
    found = {}
    for path in sorted(CHIPS.glob("*.toml")):
        top = _top(path)
        for alias in top.get("aliases", ()):
            found[alias.replace(" ", "-")] = top.get("title", "")
    return _starting(incomplete, found)


def _top(path: Path) -> dict[str, Any]:
    """Return the fields of a file of our own that stand before its first table."""
    from tomllib import loads

    return loads(re.split(r"^\[", path.read_text("utf-8"), maxsplit=1, flags=re.MULTILINE)[0])


def _files(incomplete: str, extensions: Sequence[str]) -> Items:
    """Return the files with one of the extensions, and the shell's word for folders."""
    folder, slash, start = incomplete.rpartition("/")
    found = []
    try:
        place = Path(f"{folder}{slash}" or ".").expanduser()
        for path in place.iterdir():
            fits = path.name.startswith(start) and path.suffix[1:].lower() in extensions
            if fits and path.name.isprintable() and (start or path.name[0] != "."):
                found.append(f"{folder}{slash}{path.name}")
            if len(found) == MOST_FILES:
                break
    except (OSError, ValueError, RuntimeError):
        return []
    return [*(_item(name, "path") for name in sorted(found)), _item(incomplete, "dir")]


def _free(context: Context) -> dict[str, str]:
    """Return the meanings of the names that may still be bound or asked for."""
    given = _given(context)
    taken = {str(text).partition("=")[0].strip() for text in given.get("settings") or ()}
    taken.add(str(given.get("unknown") or ""))
    meanings = {name: meaning for name, (meaning, _) in _symbols(given).items()} | RATES
    if _is_model(str(given.get("spec") or "")):
        meanings = LENGTHS if context.info_name == "report" else STEP | RATES
    return {name: meaning for name, meaning in meanings.items() if name not in taken}


def _given(context: Context) -> dict[str, Any]:
    """Return the parameters that stand on the line.

    click reads no arguments where the last option has no value yet; it is left out then.
    """
    words = context.obj if isinstance(context.obj, list) else []
    if context.params.get("spec") or context.parent is None or context.info_name not in words:
        return context.params
    words = words[words.index(context.info_name) + 1 : -1]
    command, parent = context.command, context.parent
    with command.make_context("", words, parent=parent, resilient_parsing=True) as again:
        return again.params


def _symbols(given: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Return the meaning and the default of each symbol of SPEC; nothing if it is none."""
    spec = str(given.get("spec") or "")
    is_file = spec.lower().endswith(".toml")
    if not is_file and ("->" in spec or "," in spec):
        return {letter: ("", "") for letter in spec if letter.isalpha()}
    try:
        library = {} if is_file else {_normal(path.stem): path for path in LIBRARY.glob("*.toml")}
        path = library.get(_normal(spec), Path(spec))
        return (_declared(path) or _found(path)) if path.is_file() else {}
    except Exception:  # what is wrong with a file is said when the command runs
        return {}


def _is_model(spec: str) -> bool:
    names = {_normal(path.stem) for path in MODELS.glob("*.json")}
    return spec.lower().endswith(".json") or _normal(spec) in names


def _declared(path: Path) -> dict[str, tuple[str, str]]:
    from symroof.tables import parse, read_text

    tables = parse(read_text(path, MOST_BYTES, "a spec")).get("symbols", {})
    found = {}
    for name, entry in tables.items():
        fields = entry if isinstance(entry, dict) else {"meaning": entry}
        found[name] = (str(fields.get("meaning", "")), str(fields.get("default", "")))
    return found


def _found(path: Path) -> dict[str, tuple[str, str]]:
    if path.stat().st_size > MOST_BYTES_LOADED:
        return {}
    from symroof.graph.spec import load
    from symroof.graph.spec_names import names_in

    return dict.fromkeys(sorted(names_in(load(path))), ("", ""))


def _normal(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name[:200].lower())
