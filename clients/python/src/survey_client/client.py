"""The synchronous client."""

import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import wraps
from itertools import count, islice
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


class Rows(Generic[Row]):
    """A list of the service. Iterate over it for all its rows, or over `pages()`."""

    def __init__(self, get: Callable[[str, Query], Any], source: List[Row]) -> None:
        self._get = get
        self._list = source

    def __iter__(self) -> Iterator[Row]:
        for rows in self.pages():
            yield from rows

    def pages(self) -> Iterator[list[Row]]:
        """Iterates over all rows, those of one response at a time."""
        walk = PageWalk(self._list)
        while not walk.is_done:
            if rows := walk.accept(self._get(self._list.path, walk.query())):
                yield rows

    def to_list(self, *, max: int | None = None) -> list[Row]:
        """Returns all rows, or the first `max`."""
        return list(islice(self, max))

    def count(self) -> int:
        """Returns the number of rows."""
        return page_of(self._list, self._get(self._list.path, {**self._list.query, "limit": 0}))[0]


def _endpoint(describe: Callable[P, List[Row]]) -> Callable[Concatenate["SurveyClient", P], Rows[Row]]:
    @wraps(describe)
    def method(client: "SurveyClient", /, *args: P.args, **kwargs: P.kwargs) -> Rows[Row]:
        return Rows(client._get, describe(*args, **kwargs))

    return method


class SurveyClient:
    """The public API: one method per endpoint. All raise ApiError or SurveyConnectionError."""

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
        self._http = httpx.Client(**http_options(base_url, api_key, timeout, user_agent))
        self._retries = retries
        self._import_timeout = import_timeout

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    employees = _endpoint(lists.employees)
    surveys = _endpoint(lists.surveys)
    survey_cycles = _endpoint(lists.survey_cycles)
    questions = _endpoint(lists.questions)
    survey_assignments = _endpoint(lists.survey_assignments)
    initiatives = _endpoint(lists.initiatives)
    attributes = _endpoint(lists.attributes)
    attribute_options = _endpoint(lists.attribute_options)
    text_responses = _endpoint(lists.text_responses)

    def score(
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
        score: Score = self._get("/v1/scores", score_query(question_ids, period_from, period_to, survey_ids))
        return score

    def import_employees(self, snapshot: Snapshot, *, idempotency_key: str | None = None) -> ImportAccepted:
        """POST /v1/employees/imports. Offboards managed employees that are not in the snapshot.

        The response means that the snapshot is valid and queued; the API does not report its outcome.
        """
        key = header_value(idempotency_key or str(uuid.uuid4()), "idempotency_key")
        headers = {**JSON_GZIP, "Idempotency-Key": key}
        send = lambda: self._http.post(
            "/v1/employees/imports", content=gzipped(snapshot), headers=headers, timeout=self._import_timeout
        )
        accepted: ImportAccepted = self._retried(
            send, self._retries if is_repeatable(snapshot) else Retries(most=0), accepted_import
        )
        return accepted

    def _get(self, path: str, query: Query) -> Any:
        return self._retried(lambda: self._http.get(path, params=parameters(query)), self._retries)

    def _retried(
        self, send: Callable[[], httpx.Response], retries: Retries, read: Callable[[httpx.Response], Any] = result_of
    ) -> Any:
        for failures in count(1):
            try:
                return read(send())
            except (ApiError, httpx.RequestError) as error:
                wait = retries.wait_after(error, failures)
            time.sleep(wait)
