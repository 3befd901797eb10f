"""Files with a line of JSON for each row."""

import json
from collections.abc import Iterator
from typing import Any, BinaryIO


def line_of(row: object) -> bytes:
    """Returns the line of a row."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def rows_in(file: BinaryIO) -> Iterator[Any]:
    """Returns the rows in a file that can be read, and removes a line whose end is missing."""
    if not file.readable():
        return
    length = file.seek(0)
    for number, line in enumerate(file, 1):
        if not line.endswith(b"\n"):
            break
        length += len(line)
        try:
            yield json.loads(line)
        except ValueError as error:
            text = f"cannot continue {file.name}: line {number} is damaged. Delete the file to write it anew"
            raise ValueError(text) from error
    file.truncate(length)
