"""The lists of the API: path, filters, and what identifies a row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Literal, TypeVar

from .models import (
    Attribute,
    AttributeOption,
    Employee,
    Initiative,
    Question,
    Survey,
    SurveyAssignment,
    SurveyCycle,
    TextResponse,
)

MAX_PAGE_SIZE = 1000

Query = Mapping[str, str | int | None]
Row = TypeVar("Row", bound=Mapping[str, Any])


@dataclass(frozen=True)
class List(Generic[Row]):
    """A list, not yet read. `key` is absent when rows have no id."""

    path: str
    array: str
    page_size: int
    query: Query
    key: str | None = "id"

    def __post_init__(self) -> None:
        if not 1 <= self.page_size <= MAX_PAGE_SIZE:
            raise ValueError(f"page_size must be an integer from 1 to {MAX_PAGE_SIZE}")


def employees(*, page_size: int = MAX_PAGE_SIZE) -> List[Employee]:
    """GET /v1/employees, including deleted ones."""
    return List("/v1/employees", "employees", page_size, {})


def surveys(
    *, created_after: datetime | None = None, is_archived: bool | None = None, page_size: int = MAX_PAGE_SIZE
) -> List[Survey]:
    """GET /v1/surveys."""
    query = {
        "created_after": None if created_after is None else timestamp(created_after),
        "is_archived": None if is_archived is None else str(is_archived).lower(),
    }
    return List("/v1/surveys", "surveys", page_size, query)


def survey_cycles(*, survey_id: int | None = None, page_size: int = MAX_PAGE_SIZE) -> List[SurveyCycle]:
    """GET /v1/survey_cycles, newest first."""
    return List("/v1/survey_cycles", "cycles", page_size, {"survey_id": survey_id})


def questions(*, page_size: int = MAX_PAGE_SIZE) -> List[Question]:
    """GET /v1/questions, including deleted ones."""
    return List("/v1/questions", "questions", page_size, {})


def survey_assignments(*, survey_id: int | None = None, page_size: int = MAX_PAGE_SIZE) -> List[SurveyAssignment]:
    """GET /v1/survey_assignments, including historical ones."""
    return List("/v1/survey_assignments", "survey_assignments", page_size, {"survey_id": survey_id})


def initiatives(
    *,
    status: Literal["draft", "defined", "in_progress", "completed"] | None = None,
    page_size: int = MAX_PAGE_SIZE,
) -> List[Initiative]:
    """GET /v1/initiatives, newest first."""
    return List("/v1/initiatives", "initiatives", page_size, {"status": status}, key="uuid")


def attributes(*, page_size: int = MAX_PAGE_SIZE) -> List[Attribute]:
    """GET /v1/attributes: those released for API use."""
    return List("/v1/attributes", "attributes", page_size, {})


def attribute_options(attribute_id: int, *, page_size: int = MAX_PAGE_SIZE) -> List[AttributeOption]:
    """GET /v1/attributes/{attribute_id}/options. Raises NotFoundError when it is not released."""
    return List(f"/v1/attributes/{attribute_id}/options", "options", page_size, {})


def text_responses(
    *,
    survey_ids: Sequence[int] | None = None,
    survey_cycle_ids: Sequence[str] | None = None,
    question_ids: Sequence[int] | None = None,
    attribute_option_ids: Sequence[int] | None = None,
    page_size: int = MAX_PAGE_SIZE,
) -> List[TextResponse]:
    """GET /v1/text_responses. They have no id: a loop over an open cycle may return one twice."""
    query = {
        "survey_ids": comma_separated(survey_ids),
        "survey_cycle_ids": comma_separated(survey_cycle_ids),
        "question_ids": comma_separated(question_ids),
        "attribute_option_ids": comma_separated(attribute_option_ids),
    }
    return List("/v1/text_responses", "responses", page_size, query, key=None)


def comma_separated(ids: Sequence[int] | Sequence[str] | None) -> str | None:
    return None if ids is None else ",".join(map(str, ids))


def timestamp(time: datetime) -> str:
    """Returns RFC 3339 text. A time without an offset could mean any instant."""
    if time.tzinfo is None:
        raise ValueError("datetimes must have a time zone")
    return time.isoformat()
