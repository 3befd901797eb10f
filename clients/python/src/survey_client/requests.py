"""What the synchronous and the asynchronous client have in common."""

import os
import random
import ssl
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Annotated, Any, TypeVar

import httpx

from .arguments import header_value
from .errors import HTTP_ERRORS, ApiError, ConfigurationError, ConflictError, SurveyConnectionError, SurveyError, connection_error
from .lists import Query

# Proxies return 502 and 504 in place of 503.
_TEMPORARY = {408, 429, 500, 502, 503, 504}
_NAME = f"survey-client-python/{version('survey-client')}"

Client = TypeVar("Client")
T = TypeVar("T")
# What a method of the asynchronous client returns, and the same method of the synchronous one.
AsyncResult = Coroutine[Any, Any, T]
Result = Annotated[T, "not awaited"]
# A text is the file of an authority's certificate.
Verify = ssl.SSLContext | str | bool


@dataclass(frozen=True)
class Retries:
    """Retries of temporary failures, with exponential backoff and full jitter. Times in seconds."""

    most: int = 5
    first_wait: float = 0.5
    longest_wait: float = 60.0


class Attempts:
    """The attempts at one request."""

    def __init__(self, retries: Retries, origin: str, wait_for_running: bool = False) -> None:
        self._retries = retries
        self._origin = origin
        self._wait_for_running = wait_for_running
        self._failures = 0
        self._conflicts = 0

    def wait_after(self, error: Exception) -> float:
        """Returns the wait before the next attempt, in seconds, or raises the error."""
        failure = error if isinstance(error, SurveyError) else connection_error(error, self._origin)
        cause = None if failure is error else error
        retry_after = failure.retry_after if isinstance(failure, ApiError) else None
        longest = self._retries.longest_wait
        if self._wait_for_running and isinstance(failure, ConflictError):
            self._conflicts += 1
            # An estimate: the import may have ended earlier.
            return min(longest, self._backoff(self._conflicts) if retry_after is None else retry_after)
        self._failures += 1
        if not _is_temporary(failure) or self._failures > self._retries.most or (retry_after or 0.0) > longest:
            raise failure from cause
        # Plus jitter, because all clients received the same time.
        return (retry_after or 0.0) + random.uniform(0, self._backoff(self._failures))

    def _backoff(self, failures: int) -> float:
        return min(self._retries.longest_wait, self._retries.first_wait * 2.0 ** (failures - 1))


def _is_temporary(error: SurveyError) -> bool:
    if isinstance(error, ApiError):
        return error.status in _TEMPORARY
    return isinstance(error, SurveyConnectionError) and error.is_temporary


class Service:
    """Where the service is, and what every request carries."""

    def __init__(self, base_url: str, api_key: str, user_agent: str | None) -> None:
        self._root = _root_of(base_url)
        self.origin = f"{self._root.scheme}://{self._root.netloc.decode()}"
        name = f"{user_agent} {_NAME}" if user_agent else _NAME
        self._headers = {"User-Agent": name, "X-Api-Key": header_value("api_key", api_key)}

    def request(self, path: str, timeout: float, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Returns arguments of a request of httpx. A redirect would send the key to another server."""
        url = str(self._root).rstrip("/") + path
        return {"url": url, "headers": {**self._headers, **(headers or {})}, "timeout": timeout, "follow_redirects": False}


def _root_of(base_url: str) -> httpx.URL:
    try:
        # Paths begin with /v1, which people often copy together with the rest.
        url = httpx.URL(base_url.rstrip("/").removesuffix("/v1"))
    except (AttributeError, httpx.InvalidURL):
        url = httpx.URL()
    if url.scheme not in ("http", "https") or not url.host or url.userinfo or url.query or url.fragment:
        raise ValueError("base_url must be an http or https URL without user, password and parameters")
    return url


def opened(
    create: Callable[..., Client], transport: object | None, verify: Verify, proxy: str | httpx.Proxy | None
) -> Client:
    """Opens an HTTP client. An error names the argument or the environment variable that is wrong."""
    if not isinstance(verify, (bool, str, ssl.SSLContext)):
        raise TypeError("verify must be True, False, the file of a certificate, or an ssl.SSLContext")
    name = "verify"
    try:
        context = ssl.create_default_context(cafile=verify) if isinstance(verify, str) else verify
        name = "proxy"
        return create(transport=transport, verify=context, proxy=proxy)
    except (*HTTP_ERRORS, ImportError, ValueError, OSError) as error:
        if name == "proxy" and proxy is None:
            name = _wrong_variable(create)
        raise ConfigurationError(f"cannot open connections: {name} is wrong: {error}") from error


def _wrong_variable(create: Callable[..., object]) -> str:
    def fails(attempt: Callable[[str], object], value: str) -> bool:
        try:
            attempt(value)
        except (*HTTP_ERRORS, ImportError, ValueError, OSError):
            return True
        return False

    attempts: dict[str, Callable[[str], object]] = {
        **{name: lambda value: create(proxy=value, trust_env=False) for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")},
        "SSL_CERT_FILE": lambda value: ssl.create_default_context(cafile=value),
        "SSL_CERT_DIR": lambda value: ssl.create_default_context(capath=value),
    }
    for name, attempt in attempts.items():
        for spelling in (name, name.lower()):
            if (value := os.environ.get(spelling)) and fails(attempt, value):
                return spelling
    return next((name for name in ("NO_PROXY", "no_proxy") if os.environ.get(name)), "the environment")


def parameters(query: Query) -> dict[str, str | int]:
    return {name: value for name, value in query.items() if value is not None}
