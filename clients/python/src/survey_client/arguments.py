"""Arguments, checked before anything is sent. Errors name the argument."""

import re
from collections.abc import Iterable
from datetime import datetime
from operator import index
from typing import SupportsIndex

#: What the API calls an instant. Text is sent as it is.
Instant = datetime | str

_RFC_3339 = re.compile(r"\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})")


def id_of(name: str, value: SupportsIndex | None) -> int | None:
    """Returns an id. Also takes the integers of numpy and pandas."""
    return None if value is None else _positive(name, value, "a positive integer")


def ids_of(name: str, values: Iterable[SupportsIndex] | None) -> str | None:
    """Returns ids as the API expects them. Text is refused: "12" would be 1 and 2."""
    needs = "a list of positive integers"
    return None if values is None else ",".join(str(_positive(name, value, needs)) for value in _listed(name, values, needs))


def texts_of(name: str, values: Iterable[object] | None) -> str | None:
    """Returns texts, such as UUIDs, as the API expects them."""
    needs = "a list of texts"
    if values is None:
        return None
    texts = [str(value) for value in _listed(name, values, needs)]
    if any(not text or "," in text for text in texts):
        raise ValueError(f"{name} must be {needs} without commas")
    return ",".join(texts)


def flag_of(name: str, value: bool | None) -> str | None:
    if value is not None and not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False")
    return None if value is None else str(value).lower()


def instant_of(name: str, value: Instant | None) -> str | None:
    """Returns RFC 3339 text. A time without an offset could mean any instant."""
    if value is None:
        return None
    needs = f"{name} must be a datetime with a time zone, or text such as 2026-01-31T09:00:00Z with seconds and an offset"
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(needs)
        return value.isoformat()
    if not isinstance(value, str):
        raise TypeError(needs)
    try:
        datetime.fromisoformat(value)
    except ValueError:
        raise ValueError(needs) from None
    if not _RFC_3339.fullmatch(value):
        raise ValueError(needs)
    return value


def text_of(name: str, value: str | None) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{name} must be text")
    return value


def header_value(name: str, value: str) -> str:
    # A key read from a file often ends with a line break.
    if not isinstance(value, str) or not re.fullmatch(r"[\x21-\x7e]+", value):
        raise ValueError(f"{name} must be visible ASCII characters, without spaces or line breaks")
    return value


def if_none_match(etag: str | None) -> dict[str, str]:
    """Returns the header of a conditional request. `*` would match every list, so that none was ever read."""
    if etag is None:
        return {}
    if not isinstance(etag, str) or not re.fullmatch(r'(W/)?"[\x21\x23-\x7e]*"', etag):
        raise ValueError("etag must be the etag of a list, with its quotation marks")
    return {"If-None-Match": etag}


def seconds_of(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
        raise ValueError(f"{name} must be a positive number of seconds")
    return value


def _listed(name: str, values: Iterable[object], needs: str) -> Iterable[object]:
    if isinstance(values, (str, bytes, dict)) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be {needs}")
    return values


def _positive(name: str, value: object, needs: str) -> int:
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise TypeError(f"{name} must be {needs}")
    number = index(value)
    if number < 1:
        raise ValueError(f"{name} must be {needs}")
    return number
