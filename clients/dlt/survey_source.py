"""dlt source of the survey service: all lists, and scores per cycle."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import dlt
from dlt.sources import DltResource
from survey_client import SurveyClient
from survey_client.models import Attribute, SurveyCycle


@dlt.source(name="survey")
def survey_source(
    base_url: str = dlt.config.value,
    api_key: str = dlt.secrets.value,
    scores: Sequence[Sequence[int]] = (),
) -> Iterator[DltResource]:
    """Reads every list of the account. `scores` holds the question ids of each score."""
    client = SurveyClient(base_url, api_key, user_agent="dlt")

    # Read whole and merged, because rows of any age can change.
    def whole(name: str, key: str = "id") -> DltResource:
        rows = getattr(client, name)
        return dlt.resource(lambda: rows().pages(), name=name, primary_key=key, write_disposition="merge")

    yield from map(whole, ("employees", "surveys", "questions", "survey_assignments"))
    yield whole("initiatives", key="uuid")
    yield (attributes := whole("attributes"))
    yield (cycles := whole("survey_cycles"))

    # Text responses have no id.
    yield dlt.resource(lambda: client.text_responses().pages(), name="text_responses", write_disposition="replace")

    @dlt.transformer(data_from=attributes, primary_key="id", write_disposition="merge")
    def attribute_options(page: Sequence[Attribute]) -> Iterator[Any]:
        for attribute in page:
            for options in client.attribute_options(attribute["id"]).pages():
                yield [{**option, "attribute_id": attribute["id"]} for option in options]

    @dlt.transformer(data_from=cycles, name="scores", primary_key=("cycle_id", "question_ids"), write_disposition="merge")
    def score_per_cycle(page: Sequence[SurveyCycle]) -> Iterator[Any]:
        for cycle in page:
            opened = datetime.fromisoformat(cycle["opened_at"])
            closed = datetime.fromisoformat(cycle["closed_at"]) if cycle["closed_at"] else datetime.now(UTC)
            for question_ids in scores:
                key = {"cycle_id": cycle["id"], "question_ids": ",".join(map(str, question_ids))}
                score = client.score(question_ids, opened, closed, survey_ids=[cycle["survey_id"]])
                yield {**key, "survey_id": cycle["survey_id"], "cycle_opened_at": opened, **score}

    yield from (attribute_options, score_per_cycle)
