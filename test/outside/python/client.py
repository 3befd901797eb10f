"""Imports and exports with the packed client, synchronously and with asyncio; prints JSON."""

import asyncio
import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from survey_client import (
    AsyncSurveyClient,
    AuthenticationError,
    Retries,
    SurveyClient,
    SurveyConnectionError,
    ValidationError,
)
from survey_client.models import EmployeeRecord

URL, READ_KEY, WRITE_KEY = (os.environ[name] for name in ("SURVEY_URL", "SURVEY_READ_KEY", "SURVEY_WRITE_KEY"))
QUICK = Retries(most=3, first_wait=0.01)


def all_employees() -> Iterator[EmployeeRecord]:
    for n in range(1, 6):
        yield {"import_id": f"E{n}", "email": f"e{n}@x.io", "firstname": "Zoë", "lastname": "L"}


def synchronous() -> dict[str, object]:
    with SurveyClient(URL, WRITE_KEY, retries=QUICK, user_agent="nightly") as client:
        replayed = [client.import_employees(all_employees, idempotency_key="once")["replayed"]]
        while client.employees().count() < 5:
            pass
        replayed.append(client.import_employees(all_employees, idempotency_key="once")["replayed"])
        emails = [employee["email"] for employee in client.employees(page_size=2)]
        try:
            client.import_employees([{"import_id": "", "firstname": "F"}])  # type: ignore[typeddict-item]
        except ValidationError as error:
            faults = [fault.get("pointer") for fault in error.errors]
        surveys = client.surveys(created_after=datetime.now(UTC), is_archived=False).to_list(max=3)
        changed = client.employees(page_size=2).unless_changed_since(None)
        assert changed is not None
        conditional = [len(changed.to_list()), client.employees(page_size=2).unless_changed_since(changed.etag)]
        employees = client.employees().to_list()
        with TemporaryDirectory() as folder:
            path, progress = Path(folder) / "employees.ndjson", list[tuple[int, int]]()
            # As an interruption leaves it.
            Path(f"{path}.part").write_text("".join(json.dumps(row) + "\n" for row in employees[:2]) + '{"id":')
            client.employees(page_size=2).to_file(path, on_progress=lambda *at: progress.append(at))
            assert [json.loads(line) for line in path.read_text().splitlines()] == employees
            assert [entry.name for entry in path.parent.iterdir()] == [path.name]
            Path(f"{path}.part").write_bytes(b'{"id":1}\n\0\0\n')
            try:
                client.employees().to_file(path)
            except ValueError as error:
                damaged = str(error).removeprefix(f"cannot continue {path}.part: ")
    return {
        "replayed": replayed,
        "emails": emails,
        "faults": faults,
        "surveys": surveys,
        "conditional": conditional,
        "progress": progress,
        "damaged": damaged,
    }


async def asynchronous() -> dict[str, object]:
    async with AsyncSurveyClient(URL, READ_KEY, retries=QUICK) as client:
        emails = [employee["email"] async for employee in client.employees(page_size=2)]
        first = await client.employees().to_list(max=1)
        changed = await client.employees().unless_changed_since('"another"')
        assert changed is not None and await client.employees().unless_changed_since(changed.etag) is None
    async with AsyncSurveyClient(URL, "wrong") as client:
        try:
            await client.attributes().count()
        except AuthenticationError as error:
            rejected = error.status
    async with AsyncSurveyClient("http://127.0.0.1:1", "key", retries=Retries(most=0)) as client:
        try:
            await client.employees().to_list()
        except SurveyConnectionError as error:
            unreachable = str(error)
    return {"emails": emails, "first": len(first), "rejected": rejected, "unreachable": unreachable}


print(json.dumps({"sync": synchronous(), "async": asyncio.run(asynchronous())}))
