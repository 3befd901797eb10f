"""What the synchronous and the asynchronous client have in common."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from typing import Any

import httpx

from .errors import ApiError, SurveyConnectionError, api_error
from .lists import Query, comma_separated, timestamp
from .snapshot import ImportAccepted

# Proxies return 502 and 504 in place of 503.
_TEMPORARY = {429, 500, 502, 503, 504}
_NAME = f"survey-client-python/{version('survey-client')}"

JSON_GZIP = {"Content-Type": "application/json", "Content-Encoding": "gzip"}


@dataclass(frozen=True)
class Retries:
    """Retries of temporary failures, with exponential backoff and full jitter. Times in seconds."""

    most: int = 5
    first_wait: float = 0.5
    longest_wait: float = 60.0

    def wait_after(self, error: ApiError | httpx.RequestError, failures: int) -> float:
        """Returns the wait before the next attempt, or raises the error."""
        retry_after = 0.0
        if isinstance(error, ApiError):
            retry_after = error.retry_after or 0.0
            if error.status not in _TEMPORARY or retry_after > self.longest_wait:
                raise error
        if failures > self.most:
            raise error if isinstance(error, ApiError) else _connection_error(error) from error
        backoff = min(self.longest_wait, self.first_wait * 2 ** (failures - 1))
        # Plus jitter, because all clients received the same time.
        return retry_after + random.uniform(0, backoff)


def http_options(base_url: str, api_key: str, timeout: float, user_agent: str | None) -> dict[str, Any]:
    """Returns the options of an httpx client. Checks them, because every attempt would fail."""
    url = httpx.URL(base_url)
    if url.scheme not in ("http", "https") or not url.host or url.userinfo:
        raise ValueError("base_url must be an http or https URL without user and password")
    headers = {"User-Agent": f"{user_agent} {_NAME}" if user_agent else _NAME, "X-Api-Key": header_value(api_key, "api_key")}
    return {"base_url": url, "headers": headers, "timeout": timeout}


def header_value(value: str, name: str) -> str:
    # A key read from a file often ends with a line break.
    if not re.fullmatch(r"[\x21-\x7e]+", value):
        raise ValueError(f"{name} must be visible ASCII characters, without spaces or line breaks")
    return value


def parameters(query: Query) -> dict[str, str | int]:
    return {name: value for name, value in query.items() if value is not None}


def score_query(
    question_ids: Sequence[int], period_from: datetime, period_to: datetime, survey_ids: Sequence[int] | None
) -> Query:
    lists = {"question_ids": comma_separated(question_ids), "survey_ids": comma_separated(survey_ids)}
    return {**lists, "period_from": timestamp(period_from), "period_to": timestamp(period_to)}


def result_of(response: httpx.Response) -> Any:
    """Returns the parsed body of a success, or raises the error of the response."""
    if not response.is_success:
        raise api_error(response)
    try:
        return response.json()
    except ValueError as error:
        raise httpx.DecodingError("the response is not JSON", request=response.request) from error


def accepted_import(response: httpx.Response) -> ImportAccepted:
    """Like result_of, for an import."""
    accepted: ImportAccepted = result_of(response)
    accepted["replayed"] = response.headers.get("Idempotency-Replayed") == "true"
    return accepted


def _connection_error(error: httpx.RequestError) -> SurveyConnectionError:
    url = error.request.url
    return SurveyConnectionError(f"cannot get a response from {url.scheme}://{url.netloc.decode()}: {error or type(error).__name__}")
