"""dlt source of the survey service: all lists, and scores per cycle."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypedDict

import dlt
from dlt.sources import DltResource
from survey_client import NotFoundError, SurveyClient
from survey_columns import COLUMNS

logger = logging.getLogger(__name__)

# The service never deletes such rows.
NEVER_EMPTIED = {"employees", "surveys", "survey_cycles", "questions", "survey_assignments"}


class ScoreRequest(TypedDict):
    """The score of these questions in each cycle of the survey."""

    survey_id: int
    question_ids: Sequence[int]


@dlt.source(name="survey")
def survey_source(
    base_url: str = dlt.config.value,
    api_key: str = dlt.secrets.value,
    scores: Sequence[ScoreRequest] = (),
) -> Iterator[DltResource]:
    """Reads every list of the account, and `scores`, of the responses to each survey alone."""
    client = SurveyClient(base_url, api_key, user_agent="dlt")

    # Read whole and merged, because rows of any age can change, unless none has.
    def whole(name: str, key: str = "id") -> DltResource:
        def pages() -> Iterator[Any]:
            rows, state = 0, dlt.current.resource_state()
            if (changed := getattr(client, name)().unless_changed_since(state.get("etag"))) is None:
                return
            for page in changed.pages():
                rows += len(page)
                yield page
            if rows == 0 and name in NEVER_EMPTIED and state.get("rows", 0) > 0:
                raise ValueError(f"{name} is empty, but had {state['rows']} rows at the last load: check URL and key")
            state.update(rows=rows, etag=changed.etag)

        return dlt.resource(pages, name=name, primary_key=key, write_disposition="merge", **hints(name))

    yield from map(whole, ("employees", "surveys", "survey_cycles", "questions", "survey_assignments"))
    yield whole("initiatives", key="uuid")

    # Text responses have no id.
    texts = lambda: client.text_responses().pages()
    yield dlt.resource(texts, name="text_responses", write_disposition="replace", **hints("text_responses"))

    options_table = dlt.mark.make_hints(
        table_name="attribute_options", primary_key="id", write_disposition="merge", **hints("attribute_options")
    )

    # Also writes the table attribute_options.
    @dlt.resource(name="attributes", primary_key="id", write_disposition="merge", **hints("attributes"))
    def attributes() -> Iterator[Any]:
        state = dlt.current.resource_state()
        # The ETags of the options of each attribute, which can change although no attribute does.
        etags = state.setdefault("etags", {})
        if (changed := client.attributes().unless_changed_since(state.get("released"))) is not None:
            released = changed.to_list()
            yield released
            state.update(released=changed.etag, etags={id: etags.get(id) for id in (str(one["id"]) for one in released)})
        for id in list(state["etags"]):
            try:
                if (changed := client.attribute_options(int(id)).unless_changed_since(state["etags"][id])) is None:
                    continue
                for page in changed.pages():
                    options = [{**option, "attribute_id": int(id)} for option in page]
                    yield dlt.mark.with_hints(options, options_table, create_table_variant=True)
                state["etags"][id] = changed.etag
            except NotFoundError:
                logger.warning("attribute %s is no longer released: its options are incomplete", id)

    @dlt.resource(name="scores", primary_key=("cycle_id", "question_ids"), write_disposition="merge", **hints("scores"))
    def score_per_cycle() -> Iterator[Any]:
        surveys = {survey["id"] for survey in client.surveys()} if scores else set()
        if unknown := {request["survey_id"] for request in scores} - surveys:
            raise ValueError(f"scores: there is no survey {', '.join(map(str, unknown))}")
        for request in scores:
            for cycle in client.survey_cycles(survey_id=request["survey_id"]):
                opened, now = datetime.fromisoformat(cycle["opened_at"]), datetime.now(UTC)
                if opened > now:
                    logger.warning("cycle %s has no score yet: it opens at %s", cycle["id"], cycle["opened_at"])
                    continue
                key = {"cycle_id": cycle["id"], "question_ids": ",".join(map(str, request["question_ids"]))}
                survey_id, closed = cycle["survey_id"], cycle["closed_at"] or now
                score = client.score(request["question_ids"], cycle["opened_at"], closed, survey_ids=[survey_id])
                yield {**key, "survey_id": survey_id, "cycle_opened_at": opened, **score}

    yield from (attributes, score_per_cycle)


def hints(name: str) -> Mapping[str, Any]:
    """Returns the types of the columns. dlt would take them from the first value: 65 for 32.5."""
    tables = {
        path: {"columns": {column: {"name": column, "data_type": kind} for column, kind in types.items()}}
        for path, types in COLUMNS[name].items()
    }
    own = tables.pop(())
    return {**own, "nested_hints": tables}
