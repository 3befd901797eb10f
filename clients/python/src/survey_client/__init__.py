"""Client of the employee engagement survey service's public API."""

from .async_client import AsyncRows, AsyncSurveyClient
from .client import Rows, SurveyClient
from .errors import (
    ApiError,
    AuthenticationError,
    ConfigurationError,
    ConflictError,
    NotFoundError,
    RateLimitError,
    ScopeError,
    ServiceError,
    SurveyConnectionError,
    SurveyError,
    UnexpectedResponseError,
    ValidationError,
)
from .requests import Retries
from .snapshot import Snapshot

__all__ = [
    "ApiError",
    "AsyncRows",
    "AsyncSurveyClient",
    "AuthenticationError",
    "ConfigurationError",
    "ConflictError",
    "NotFoundError",
    "RateLimitError",
    "Retries",
    "Rows",
    "ScopeError",
    "ServiceError",
    "Snapshot",
    "SurveyClient",
    "SurveyConnectionError",
    "SurveyError",
    "UnexpectedResponseError",
    "ValidationError",
]
