"""Errors of the client."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

from .models import Fault, Problem


class SurveyError(Exception):
    """Base class of all errors of the service and of the connection to it."""


class SurveyConnectionError(SurveyError):
    """The response is missing or incomplete: the network failed or a timeout passed."""


class ApiError(SurveyError):
    """The service responded with an error status."""

    def __init__(self, response: httpx.Response) -> None:
        self.status = response.status_code
        #: The service's problem body; absent when a proxy responded instead.
        self.problem = _problem_of(response)
        #: Id to quote when asking for help.
        self.request_id = response.headers.get("x-request-id")
        #: Minimum wait before the next attempt, in seconds, as the service requests.
        self.retry_after = _retry_after(response.headers.get("retry-after"))
        detail = self.problem["detail"] if self.problem else response.reason_phrase
        first = "".join(f" First: {_described(fault)}" for fault in self.errors[:1])
        super().__init__(f"{self.status} {detail}{first}")

    @property
    def errors(self) -> list[Fault]:
        """The faults of the request, each with its pointer, parameter or header."""
        return self.problem.get("errors", []) if self.problem else []


class ValidationError(ApiError):
    """400, 413, 415 or 422: the request is invalid. `errors` locates each fault."""


class AuthenticationError(ApiError):
    """401: the key is missing, unknown or revoked."""


class ScopeError(ApiError):
    """403: the key does not have the scope of the endpoint."""


class NotFoundError(ApiError):
    """404: the object does not exist or is not released."""


class ConflictError(ApiError):
    """409: the request conflicts with another, such as an import that is still running."""


class RateLimitError(ApiError):
    """429: the key has used up its requests; `retry_after` says when to continue."""


class ServiceError(ApiError):
    """5xx: the service failed or is temporarily unavailable."""


_KINDS: dict[int, type[ApiError]] = {
    400: ValidationError,
    401: AuthenticationError,
    403: ScopeError,
    404: NotFoundError,
    409: ConflictError,
    413: ValidationError,
    415: ValidationError,
    422: ValidationError,
    429: RateLimitError,
}


def api_error(response: httpx.Response) -> ApiError:
    """Returns the error of a response by its status."""
    return _KINDS.get(response.status_code, ServiceError if response.is_server_error else ApiError)(response)


def _problem_of(response: httpx.Response) -> Problem | None:
    if not response.headers.get("content-type", "").startswith("application/problem+json"):
        return None
    try:
        # The only error format of the service, by its OpenAPI document.
        problem: Problem = response.json()
    except ValueError:
        return None
    return problem


def _described(fault: Fault) -> str:
    location = fault.get("pointer") or fault.get("parameter") or fault.get("header") or "request"
    return f"{location}: {fault['detail']}"


def _retry_after(header: str | None) -> float | None:
    # Seconds, or a date (RFC 9110, 10.2.3).
    if header is None:
        return None
    if header.isdigit():
        return float(header)
    try:
        return max(0.0, (parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None
