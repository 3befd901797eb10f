"""The body of an import."""

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypedDict

from .models import EmployeeRecord

#: All employees that the import manages. A sequence, or a function that begins a new iteration, can
#: be sent again when a response is lost. Any other iterable is sent once: half a snapshot would
#: offboard the other half.
Snapshot = Iterable[EmployeeRecord] | Callable[[], Iterable[EmployeeRecord]]

JSON_GZIP = {"Content-Type": "application/json", "Content-Encoding": "gzip"}


class ImportAccepted(TypedDict):
    """The response of an import."""

    #: Reference of the import for support.
    import_uuid: str
    #: Whether the idempotency key named an earlier import, so that nothing was queued.
    replayed: bool


_CHUNK_BYTES = 64 * 1024
_GZIP = 16 + zlib.MAX_WBITS


def is_repeatable(snapshot: Snapshot, wait_for_running: bool) -> bool:
    if isinstance(snapshot, (str, bytes, Mapping)) or not (callable(snapshot) or isinstance(snapshot, Iterable)):
        raise TypeError("snapshot must be a list of employees, or a function that begins a new iteration over them")
    repeatable = callable(snapshot) or isinstance(snapshot, Sequence)
    if wait_for_running and not repeatable:
        raise TypeError("wait_for_running needs a list of employees, or a function that begins a new iteration over them")
    return repeatable


def gzipped(snapshot: Snapshot) -> Iterator[bytes]:
    """Returns the JSON body as gzip, compressed while it is sent and never held in memory."""
    gzip = zlib.compressobj(wbits=_GZIP)
    text, separator = '{"employees":[', ""
    for record in snapshot() if callable(snapshot) else snapshot:
        text += separator + json.dumps(record)
        separator = ","
        if len(text) >= _CHUNK_BYTES:
            yield gzip.compress(text.encode())
            text = ""
    yield gzip.compress(f"{text}]}}".encode()) + gzip.flush()
