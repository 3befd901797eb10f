"""Errors of the client."""

import ssl
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from .models import Fault, Problem


class SurveyError(Exception):
    """Base class of all errors of the service and of the connection to it."""


class SurveyConnectionError(SurveyError):
    """The response is missing or incomplete: the network failed or a timeout passed."""

    #: Whether another attempt could succeed.
    is_temporary = True


class UnexpectedResponseError(SurveyConnectionError):
    """Something else than the service responded, such as a page of another host."""

    is_temporary = False


class ConfigurationError(SurveyConnectionError):
    """No connection is possible as this process is set up. The message names what is wrong."""

    is_temporary = False


# Ends the message when the response is not one of the service.
_STRANGER = "not a response of the service: check base_url and the proxies in between"


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
        #: Name of the kind of problem, such as "conflict"; absent when a proxy responded instead.
        self.code = str(self.problem.get("type")).rsplit(":", 1)[-1] if self.problem else None
        detail = self.problem["detail"] if self.problem else f"{response.reason_phrase} ({_STRANGER})"
        # The sentence of a single fault is often that of the problem, too.
        first = "".join(f" First: {_described(fault)}" for fault in self.errors[:1] if fault["detail"] not in detail)
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


#: Errors of httpx. Not all have a common base class.
HTTP_ERRORS = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, httpx.CookieConflict, ssl.SSLError)


def connection_error(error: Exception, origin: str) -> SurveyConnectionError:
    """Returns the error of an attempt without a response."""
    message = f"cannot get a response from {origin}: {error or type(error).__name__}"
    causes: list[BaseException] = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None and cause not in causes:
        causes.append(cause)
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return ConfigurationError(f"{message} (for an authority of your own, pass the file of its certificate as verify)")
    if isinstance(error, (httpx.InvalidURL, httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.CookieConflict)):
        return ConfigurationError(message)
    return SurveyConnectionError(message)


def result_of(response: httpx.Response, origin: str, needs: Sequence[str]) -> Any:
    """Returns the parsed body of a success, or raises the error of the response.

    None is a 304 that the request's If-None-Match asked for. Checks the properties that a body must
    have: any other service would look like an empty list.
    """
    if response.status_code == httpx.codes.NOT_MODIFIED and "if-none-match" in response.request.headers:
        return None
    if not response.is_success:
        raise api_error(response)
    start = f"cannot use the response from {origin}"
    kind = response.headers.get("content-type", "of no type")
    if not kind.startswith("application/json"):
        raise UnexpectedResponseError(f"{start}: it is {kind}, not JSON ({_STRANGER})")
    try:
        body = response.json()
    except ValueError as error:
        raise SurveyConnectionError(f"{start}: it is not valid JSON") from error
    missing = [name for name in needs if not isinstance(body, dict) or name not in body]
    if missing:
        raise UnexpectedResponseError(f"{start}: it has no {' and '.join(missing)} ({_STRANGER})")
    return body


def _problem_of(response: httpx.Response) -> Problem | None:
    if not response.headers.get("content-type", "").startswith("application/problem+json"):
        return None
    try:
        # The only error format of the service, by its OpenAPI document.
        problem: Problem = response.json()
    except ValueError:
        return None
    return problem if isinstance(problem, dict) and "detail" in problem else None


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
