"""The client: asynchronous in async_client.py, of which client.py is made."""

import time
import uuid
from collections.abc import Iterator, Callable, Mapping, Sequence
from functools import wraps
from os import PathLike, fspath, fsync
from pathlib import Path
from typing import Any, Concatenate, Generic, ParamSpec, Self

import httpx

from . import lists
from .arguments import header_value, if_none_match, seconds_of
from .errors import HTTP_ERRORS, SurveyError, result_of
from .lists import List, Query, Row
from .models import Score
from .ndjson import line_of, rows_in
from .page_walk import PageWalk
from .requests import Result, Attempts, Retries, Service, Verify, opened, parameters
from .snapshot import JSON_GZIP, ImportAccepted, Snapshot, gzipped, is_repeatable

P = ParamSpec("P")
# A response and its parsed body.
Response = tuple[httpx.Response, Any]
Get = Callable[..., Result[Response]]


class Rows(Generic[Row]):
    """A list of the service. Iterate over it for all its rows, or over `pages()`."""

    #: Of a list that `unless_changed_since` returned, if the service sent one.
    etag: str | None = None
    _first: Any = None

    def __init__(self, get: Get, source: List[Row]) -> None:
        self._get = get
        self._list = source

    def unless_changed_since(self, etag: str | None) -> Self | None:
        """Returns the list if anything in it has changed since it had this ETag, or None.

        None costs one request that transfers no rows. Store `etag` of the list that is returned once
        you have stored all its rows: what changes while you read them changes the ETag again.
        """
        response, body = self._get(*self._page(PageWalk(self._list).query()), if_none_match(etag))
        if body is None:
            return None
        changed = type(self)(self._get, self._list)
        changed.etag, changed._first = response.headers.get("etag"), body
        return changed

    def __iter__(self) -> Iterator[Row]:
        for rows in self.pages():
            for row in rows:
                yield row

    def pages(self) -> Iterator[list[Row]]:
        """Iterates over all rows, those of one response at a time."""
        walk, body = PageWalk(self._list), self._first
        while not walk.is_done:
            if rows := walk.accept(body or self._read(walk.query())):
                yield rows
            body = None

    def to_list(self, *, max: int | None = None) -> list[Row]:
        """Returns all rows, or the first `max`."""
        found: list[Row] = []
        for rows in self.pages():
            found += rows
            if max is not None and len(found) >= max:
                break
        return found[:max]

    def to_file(self, path: str | PathLike[str], *, on_progress: Callable[[int, int], None] | None = None) -> int:
        """Writes all rows to a file, a line of JSON each, and returns their number.

        Until it is complete, the name of the file ends with `.part`. Where an earlier call was
        interrupted, the next one continues after the rows in that file, which stay as they were; rows
        without an id are read again. No two calls may write the same file at once. `on_progress`
        gets the rows in the file and the total.
        """
        part = Path(f"{fspath(path)}.part")
        walk, body = PageWalk(self._list), self._first
        with part.open("wb" if self._list.key is None else "ab+") as file:
            written = walk.resume(rows_in(file))
            while not walk.is_done:
                rows = walk.accept(body if body and not written else self._read(walk.query()))
                file.writelines(map(line_of, rows))
                body, written = None, written + len(rows)
                if on_progress is not None:
                    on_progress(written, walk.total)
            file.flush()
            fsync(file.fileno())
        part.replace(path)
        return written

    def count(self) -> int:
        """Returns the number of rows."""
        total: int = (self._read({**self._list.query, "limit": 0}))["total_count"]
        return total

    def _read(self, query: Query) -> Any:
        return (self._get(*self._page(query)))[1]

    def _page(self, query: Query) -> tuple[str, Query, Sequence[str]]:
        return self._list.path, query, ["total_count", self._list.array]


def _endpoint(describe: Callable[P, List[Row]]) -> Callable[Concatenate["SurveyClient", P], Rows[Row]]:
    @wraps(describe)
    def method(client: "SurveyClient", /, *args: P.args, **kwargs: P.kwargs) -> Rows[Row]:
        return Rows(client._get, describe(*args, **kwargs))

    return method


def _score(describe: Callable[P, Query]) -> Callable[Concatenate["SurveyClient", P], Result[Score]]:
    @wraps(describe)
    def method(client: "SurveyClient", /, *args: P.args, **kwargs: P.kwargs) -> Score:
        score: Score = (client._get("/v1/scores", describe(*args, **kwargs), ["score"]))[1]
        return score

    return method


class SurveyClient:
    """The public API: one method per endpoint. All raise ApiError or SurveyConnectionError.

    `timeout` and `import_timeout` are seconds without progress of a GET and of an import.
    `user_agent` is the name of your program, sent before the name of this package. `verify` is the
    certificate of an authority of your own: its file, or an `ssl.SSLContext`. `proxy` is a URL;
    without it, HTTPS_PROXY and NO_PROXY count. `transport` is one of httpx, such as its
    `MockTransport`; `http_client` is a client of your own, which you close.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        retries: Retries = Retries(),
        timeout: float = 30.0,
        import_timeout: float = 900.0,
        user_agent: str | None = None,
        verify: Verify = True,
        proxy: str | httpx.Proxy | None = None,
        transport: httpx.BaseTransport | None = None,
        http_client: httpx.Client | None = None,
    ) -> None:
        self._service = Service(base_url, api_key, user_agent)
        self._http = http_client or opened(httpx.Client, transport, verify, proxy)
        self._owns_http = http_client is None
        self._timeout = seconds_of("timeout", timeout)
        self._import_timeout = seconds_of("import_timeout", import_timeout)
        self._retries = retries

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections, but not those of an `http_client`."""
        if self._owns_http:
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
    score = _score(lists.score)

    def import_employees(
        self, snapshot: Snapshot, *, idempotency_key: str | None = None, wait_for_running: bool = False
    ) -> ImportAccepted:
        """POST /v1/employees/imports. Offboards managed employees that are not in the snapshot.

        The response means that the snapshot is valid and queued; the API does not report its outcome.
        With `wait_for_running` the call waits while another import of the account is running.
        """
        key = header_value("idempotency_key", str(uuid.uuid4()) if idempotency_key is None else idempotency_key)
        request = self._service.request("/v1/employees/imports", self._import_timeout, {**JSON_GZIP, "Idempotency-Key": key})
        retries = self._retries if is_repeatable(snapshot, wait_for_running) else Retries(most=0)
        send = lambda: self._http.post(content=_body(snapshot), **request)
        response, accepted = self._result(send, ["import_uuid"], Attempts(retries, self._service.origin, wait_for_running))
        return {"import_uuid": accepted["import_uuid"], "replayed": response.headers.get("Idempotency-Replayed") == "true"}

    def _get(self, path: str, query: Query, needs: Sequence[str], headers: Mapping[str, str] | None = None) -> Response:
        request = self._service.request(path, self._timeout, headers)
        send = lambda: self._http.get(params=parameters(query), **request)
        return self._result(send, needs, Attempts(self._retries, self._service.origin))

    def _result(self, send: Callable[[], Result[httpx.Response]], needs: Sequence[str], attempts: Attempts) -> Response:
        while True:
            try:
                response = send()
                return response, result_of(response, self._service.origin, needs)
            except (SurveyError, *HTTP_ERRORS) as error:
                wait = attempts.wait_after(error)
            time.sleep(wait)


def _body(snapshot: Snapshot) -> Iterator[bytes]:
    for chunk in gzipped(snapshot):
        yield chunk
