"""The lists of the API: path, filters, and what identifies a row."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar
from uuid import UUID

from .arguments import Instant, flag_of, id_of, ids_of, instant_of, text_of, texts_of
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
        size = self.page_size
        if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= MAX_PAGE_SIZE:
            raise ValueError(f"page_size must be an integer from 1 to {MAX_PAGE_SIZE}")


def employees(*, page_size: int = MAX_PAGE_SIZE) -> List[Employee]:
    """GET /v1/employees, including deleted ones."""
    return List("/v1/employees", "employees", page_size, {})


def surveys(
    *, created_after: Instant | None = None, is_archived: bool | None = None, page_size: int = MAX_PAGE_SIZE
) -> List[Survey]:
    """GET /v1/surveys."""
    query = {
        "created_after": instant_of("created_after", created_after),
        "is_archived": flag_of("is_archived", is_archived),
    }
    return List("/v1/surveys", "surveys", page_size, query)


def survey_cycles(*, survey_id: int | None = None, page_size: int = MAX_PAGE_SIZE) -> List[SurveyCycle]:
    """GET /v1/survey_cycles, newest first."""
    return List("/v1/survey_cycles", "cycles", page_size, {"survey_id": id_of("survey_id", survey_id)})


def questions(*, page_size: int = MAX_PAGE_SIZE) -> List[Question]:
    """GET /v1/questions, including deleted ones."""
    return List("/v1/questions", "questions", page_size, {})


def survey_assignments(*, survey_id: int | None = None, page_size: int = MAX_PAGE_SIZE) -> List[SurveyAssignment]:
    """GET /v1/survey_assignments, including historical ones."""
    query = {"survey_id": id_of("survey_id", survey_id)}
    return List("/v1/survey_assignments", "survey_assignments", page_size, query)


def initiatives(
    *,
    status: Literal["draft", "defined", "in_progress", "completed"] | None = None,
    page_size: int = MAX_PAGE_SIZE,
) -> List[Initiative]:
    """GET /v1/initiatives, newest first."""
    return List("/v1/initiatives", "initiatives", page_size, {"status": text_of("status", status)}, key="uuid")


def attributes(*, page_size: int = MAX_PAGE_SIZE) -> List[Attribute]:
    """GET /v1/attributes: those released for API use."""
    return List("/v1/attributes", "attributes", page_size, {})


def attribute_options(attribute_id: int, *, page_size: int = MAX_PAGE_SIZE) -> List[AttributeOption]:
    """GET /v1/attributes/{attribute_id}/options. Raises NotFoundError when it is not released."""
    return List(f"/v1/attributes/{id_of('attribute_id', attribute_id)}/options", "options", page_size, {})


def text_responses(
    *,
    survey_ids: Iterable[int] | None = None,
    survey_cycle_ids: Iterable[str | UUID] | None = None,
    question_ids: Iterable[int] | None = None,
    attribute_option_ids: Iterable[int] | None = None,
    page_size: int = MAX_PAGE_SIZE,
) -> List[TextResponse]:
    """GET /v1/text_responses. They have no id: a loop over an open cycle may return one twice."""
    query = {
        "survey_ids": ids_of("survey_ids", survey_ids),
        "survey_cycle_ids": texts_of("survey_cycle_ids", survey_cycle_ids),
        "question_ids": ids_of("question_ids", question_ids),
        "attribute_option_ids": ids_of("attribute_option_ids", attribute_option_ids),
    }
    return List("/v1/text_responses", "responses", page_size, query, key=None)


def score(
    question_ids: Iterable[int],
    period_from: Instant,
    period_to: Instant,
    *,
    survey_ids: Iterable[int] | None = None,
    attribute_option_ids: Iterable[int] | None = None,
    participation: bool | None = None,
) -> Query:
    """GET /v1/scores. A score of too few respondents is None with `suppressed` True.

    Without `survey_ids`, responses of all surveys that ask the questions count.
    `attribute_option_ids` and `participation` need the account's disclosure guard.
    """
    return {
        "question_ids": ids_of("question_ids", question_ids),
        "period_from": instant_of("period_from", period_from),
        "period_to": instant_of("period_to", period_to),
        "survey_ids": ids_of("survey_ids", survey_ids),
        "attribute_option_ids": ids_of("attribute_option_ids", attribute_option_ids),
        "participation": flag_of("participation", participation),
    }
