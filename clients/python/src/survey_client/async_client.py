"""The asynchronous client."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import datetime
from functools import wraps
from itertools import count
from typing import Any, Concatenate, Generic, ParamSpec, Self

import httpx

from . import lists
from .errors import ApiError
from .lists import List, Query, Row
from .models import Score
from .page_walk import PageWalk, page_of
from .requests import JSON_GZIP, Retries, accepted_import, header_value, http_options, parameters, result_of, score_query
from .snapshot import ImportAccepted, Snapshot, gzipped, is_repeatable

P = ParamSpec("P")


class AsyncRows(Generic[Row]):
    """A list of the service. Iterate over it for all its rows, or over `pages()`."""

    def __init__(self, get: Callable[[str, Query], Awaitable[Any]], source: List[Row]) -> None:
        self._get = get
        self._list = source

    async def __aiter__(self) -> AsyncIterator[Row]:
        async for rows in self.pages():
            for row in rows:
                yield row

    async def pages(self) -> AsyncIterator[list[Row]]:
        """Iterates over all rows, those of one response at a time."""
        walk = PageWalk(self._list)
        while not walk.is_done:
            if rows := walk.accept(await self._get(self._list.path, walk.query())):
                yield rows

    async def to_list(self, *, max: int | None = None) -> list[Row]:
        """Returns all rows, or the first `max`."""
        found: list[Row] = []
        async for rows in self.pages():
            found += rows
            if max is not None and len(found) >= max:
                break
        return found[:max]

    async def count(self) -> int:
        """Returns the number of rows."""
        return page_of(self._list, await self._get(self._list.path, {**self._list.query, "limit": 0}))[0]


def _endpoint(describe: Callable[P, List[Row]]) -> Callable[Concatenate["AsyncSurveyClient", P], AsyncRows[Row]]:
    @wraps(describe)
    def method(client: "AsyncSurveyClient", /, *args: P.args, **kwargs: P.kwargs) -> AsyncRows[Row]:
        return AsyncRows(client._get, describe(*args, **kwargs))

    return method


class AsyncSurveyClient:
    """The public API, as SurveyClient, for asyncio."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        retries: Retries = Retries(),
        timeout: float = 30.0,
        import_timeout: float = 900.0,
        user_agent: str | None = None,
    ) -> None:
        self._http = httpx.AsyncClient(**http_options(base_url, api_key, timeout, user_agent))
        self._retries = retries
        self._import_timeout = import_timeout

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    employees = _endpoint(lists.employees)
    surveys = _endpoint(lists.surveys)
    survey_cycles = _endpoint(lists.survey_cycles)
    questions = _endpoint(lists.questions)
    survey_assignments = _endpoint(lists.survey_assignments)
    initiatives = _endpoint(lists.initiatives)
    attributes = _endpoint(lists.attributes)
    attribute_options = _endpoint(lists.attribute_options)
    text_responses = _endpoint(lists.text_responses)

    async def score(
        self,
        question_ids: Sequence[int],
        period_from: datetime,
        period_to: datetime,
        *,
        survey_ids: Sequence[int] | None = None,
    ) -> Score:
        """GET /v1/scores. A score of too few respondents is None with `suppressed` True.

        Without `survey_ids`, responses of all surveys that ask the questions count.
        """
        score: Score = await self._get("/v1/scores", score_query(question_ids, period_from, period_to, survey_ids))
        return score

    async def import_employees(self, snapshot: Snapshot, *, idempotency_key: str | None = None) -> ImportAccepted:
        """POST /v1/employees/imports. See SurveyClient.import_employees."""
        key = header_value(idempotency_key or str(uuid.uuid4()), "idempotency_key")
        headers = {**JSON_GZIP, "Idempotency-Key": key}
        send = lambda: self._http.post(
            "/v1/employees/imports", content=_body(snapshot), headers=headers, timeout=self._import_timeout
        )
        accepted: ImportAccepted = await self._retried(
            send, self._retries if is_repeatable(snapshot) else Retries(most=0), accepted_import
        )
        return accepted

    async def _get(self, path: str, query: Query) -> Any:
        return await self._retried(lambda: self._http.get(path, params=parameters(query)), self._retries)

    async def _retried(
        self,
        send: Callable[[], Awaitable[httpx.Response]],
        retries: Retries,
        read: Callable[[httpx.Response], Any] = result_of,
    ) -> Any:
        for failures in count(1):
            try:
                return read(await send())
            except (ApiError, httpx.RequestError) as error:
                wait = retries.wait_after(error, failures)
            await asyncio.sleep(wait)


async def _body(snapshot: Snapshot) -> AsyncIterator[bytes]:
    for chunk in gzipped(snapshot):
        yield chunk
