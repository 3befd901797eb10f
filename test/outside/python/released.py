"""Imports the snapshot of a file, and prints what the client reads as JSON."""

import json
import os
import sys
from datetime import datetime
from pathlib import Path

from survey_client import AuthenticationError, SurveyClient, ValidationError

URL, READ_KEY, WRITE_KEY = (os.environ[name] for name in ("SURVEY_URL", "SURVEY_READ_KEY", "SURVEY_WRITE_KEY"))
employees = json.loads(Path(sys.argv[1]).read_text())["employees"]

with SurveyClient(URL, WRITE_KEY) as client:
    client.import_employees(employees, wait_for_running=True)
    replayed = [client.import_employees(employees, idempotency_key=sys.argv[2], wait_for_running=True)["replayed"]]
    replayed.append(client.import_employees(employees, idempotency_key=sys.argv[2], wait_for_running=True)["replayed"])
    try:
        client.import_employees([{"import_id": "E", "firstname": "F"}], wait_for_running=True)
    except ValidationError as error:
        faults = [fault.get("pointer") for fault in error.errors]
with SurveyClient(URL, "wrong") as client:
    try:
        client.attributes().count()
    except AuthenticationError as error:
        rejected = error.status
with SurveyClient(URL, READ_KEY) as client:
    names = ["employees", "surveys", "survey_cycles", "questions", "survey_assignments", "initiatives", "attributes", "text_responses"]
    lists = {name: getattr(client, name)(page_size=500).to_list() for name in names}
    lists["attribute_options"] = client.attribute_options(lists["attributes"][0]["id"]).to_list()
    questions = [question["id"] for question in lists["questions"] if question["type"] == "nps"]
    closed = [cycle for cycle in lists["survey_cycles"] if cycle["closed_at"] is not None]
    closed.sort(key=lambda cycle: datetime.fromisoformat(cycle["opened_at"]))
    scores = [
        client.score(questions, cycle["opened_at"], cycle["closed_at"], survey_ids=[cycle["survey_id"]])
        for cycle in closed
    ]
print(json.dumps({"replayed": replayed, "faults": faults, "rejected": rejected, "lists": lists, "scores": scores}))
