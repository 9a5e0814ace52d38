"""Fields of a config, read one by one; what is wrong with one names it by its path."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from sympy import Expr, Integer

from symroof.errors import InputError, brief, near_match
from symroof.models.hf_file import kind
from symroof.models.ignored import is_ignored
from symroof.symbolic import adopt, to_text
from symroof.symbolic.symbols import check_own

MAX_SIZE = 1 << 53


class Fields:
    """The fields of a config, or of a part of it, with a record of what was read.

    A field that is null counts as absent. Where a field has several names, the file may use any.

    Parameters
    ----------
    values : mapping of str to object
        Values by field.
    where : str
        The file, for messages.
    path : str
        What names of fields begin with: ``text_config.`` in a part.
    family : str
        The ``model_type``, for messages.
    fallback : mapping of str to object, optional
        Values of fields that a part of a file may lack.
    given : mapping of str to object, optional
        Values by which the caller replaces those of the file, under any of the names of a field.

    Attributes
    ----------
    defaults : list of str
        Fields that were absent, with what was taken for them.
    left_out : list of str
        What is not modelled, in words.
    names : dict of str to None
        Names that were asked for, in that order.

    Examples
    --------
    >>> fields = Fields({"hidden_size": "2*D", "num_attention_heads": 8}, "config.json")
    >>> fields.dim("hidden_size", "n_embd"), fields.dim("head_dim", default=128), fields.defaults
    (2*D, 128, ['head_dim = 128'])
    """

    def __init__(
        self,
        values: Mapping[str, Any],
        where: str,
        *,
        path: str = "",
        family: str = "",
        fallback: Mapping[str, Any] | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> None:
        self.values = values
        self.where = where
        self.path = path
        self.family = family
        self.fallback = fallback or {}
        self.given = given or {}
        self.defaults: list[str] = []
        self.left_out: list[str] = []
        self.names: dict[str, None] = {}

    def error(self, name: str, message: str) -> InputError:
        """Return an error about a field."""
        return InputError(message, where=f"{self.where}: {self.path}{brief(name)}")

    def missing(self, *names: str) -> InputError:
        """Return the error about a field that has to be there."""
        unread = [key for key in self.values if key not in self.names and not is_ignored(key)]
        near = next(filter(None, (near_match(name, unread) for name in names)), None)
        hint = f"; did you mean it by {near!r}?" if near else ""
        family = f" of {self.family}" if self.family else ""
        path = f"{self.where}: {self.path[:-1]}" if self.path else self.where
        return InputError(f"missing field {names[0]!r}{family}{hint}", where=path)

    def get(self, *names: str) -> tuple[str, Any]:
        """Return the name and the value of a field; the first name and None if it is absent.

        Raises
        ------
        InputError
            If two names have different values.
        """
        self.names.update(dict.fromkeys(names))
        source = next((each for each in self._sources() if not each.keys().isdisjoint(names)), {})
        found = [(name, source[name]) for name in names if source.get(name) is not None]
        if not found:
            return names[0], None
        if source is self.fallback:
            name, value = found[0]
            self.took(name, str(value).lower() if isinstance(value, bool) else value)
        for name, value in found[1:]:
            if value != found[0][1]:
                raise self.error(name, f"{kind(value)}, but {found[0][0]} is {kind(found[0][1])}")
        return found[0]

    def read(self, *names: str) -> None:
        """Record that fields need no look: they change no cost in this family."""
        self.names.update(dict.fromkeys(names))

    def took(self, name: str, value: object) -> None:
        """Record that a field was absent, and what was taken."""
        self.defaults.append(f"{self.path}{name} = {value}")

    def dim_or_none(self, *names: str, least: int = 1) -> Expr | None:
        """Return a size or a number of things, or None if the field is absent.

        Raises
        ------
        InputError
            If it is not a whole number of at least `least`, nor a formula in symbols.
        """
        name, value = self.get(*names)
        if value is None:
            return None
        if isinstance(value, (bool, bytes, Mapping, list, tuple)):
            raise self._no_number(name, value, least)
        where = f"{self.where}: {self.path}{brief(name)}"
        exact = check_own(adopt(value, where=where), where)
        if exact.free_symbols:
            if exact.is_negative:
                raise self.error(name, f"{brief(to_text(exact))} is negative")
            return exact
        if not (exact.is_Integer and least <= exact):
            raise self._no_number(name, value, least)
        if exact > MAX_SIZE:
            raise self.error(name, f"more than {MAX_SIZE}: not a size of a model")
        return exact

    def dim(self, *names: str, default: Expr | int | None = None, least: int = 1) -> Expr:
        """Return a size or a number of things.

        Parameters
        ----------
        *names : str
            The field, and what else it is called.
        default : Expr or int, optional
            What is taken, and recorded, if it is absent.
        least : int
            What a number may not be less than.

        Raises
        ------
        InputError
            If it is absent and has no default, or is not as `dim_or_none` wants it.
        """
        found = self.dim_or_none(*names, least=least)
        if found is not None:
            return found
        if default is None:
            raise self.missing(*names)
        self.took(names[0], to_text(Integer(default) if isinstance(default, int) else default))
        return Integer(default) if isinstance(default, int) else default

    def whole(self, *names: str, default: int | None = None, least: int = 0) -> int:
        """Return a number that no symbol can stand for, such as the step of a pattern."""
        found = self.dim(*names, default=default, least=least)
        if not found.is_Integer:
            raise self.error(names[0], f"expected a number, not {brief(to_text(found))!r}")
        return int(found)

    def flag(self, *names: str, default: bool | None = None) -> bool:
        """Return whether something is so.

        Raises
        ------
        InputError
            If it is absent and has no default, or is neither true nor false.
        """
        name, value = self.get(*names)
        if value is None:
            if default is None:
                raise self.missing(*names)
            self.took(names[0], str(default).lower())
            return default
        if not isinstance(value, bool):
            raise self.error(name, f"expected true or false, not {kind(value)}")
        return value

    def text(self, *names: str, default: str | None = None) -> str:
        """Return a text."""
        name, value = self.get(*names)
        if value is None:
            if default is None:
                raise self.missing(*names)
            self.took(names[0], default)
            return default
        if not isinstance(value, str):
            raise self.error(name, f"expected text, not {kind(value)}")
        return value

    def one_of(self, *names: str, among: Collection[str], default: str | None = None) -> str:
        """Return a text that is one of some.

        Raises
        ------
        InputError
            If it is none of them.
        """
        value = self.text(*names, default=default)
        if value in among:
            return value
        near = near_match(value, among)
        hint = f"did you mean {near!r}?" if near else f"known: {', '.join(among)}"
        raise self.error(names[0], f"unknown {brief(value)!r}; {hint}")

    def items(self, *names: str) -> list[Any] | None:
        """Return a list, or None if it is absent."""
        name, value = self.get(*names)
        if value is None:
            return None
        if not isinstance(value, (list, tuple)):
            raise self.error(name, f"expected a list, not {kind(value)}")
        return list(value)

    def refuse(self, name: str, why: str, *, harmless: Iterable[Any] = (False, 0)) -> None:
        """Raise an error if a field is there and asks for what is not modelled."""
        _, value = self.get(name)
        if value is None or any(value == fine for fine in (*harmless, [])):
            return
        raise self.error(name, f"{kind(value)}: {why}")

    def unread(self) -> list[str]:
        """Return the fields that say something, were not read, and may matter."""
        return [
            name
            for name, value in self.values.items()
            if name not in self.names
            and not is_ignored(name)
            and value is not None
            and value is not False
            and value != ""
            and value != []
            and value != {}
        ]

    def says(self, *names: str) -> bool:
        """Return whether a field is there and not null, whatever it says."""
        return any(
            source.get(name) is not None
            for source in (self.given, self.values)
            for name in names
            if source is self.given or name not in self.given
        )

    def has(self, *names: str) -> bool:
        """Return whether a field is there, be it null, or is known otherwise."""
        return any(name in source for source in self._sources() for name in names)

    def _sources(self) -> tuple[Mapping[str, Any], ...]:
        return self.given, self.values, self.fallback

    def _no_number(self, name: str, value: object, least: int) -> InputError:
        return self.error(name, f"expected a whole number of at least {least}, not {kind(value)}")
