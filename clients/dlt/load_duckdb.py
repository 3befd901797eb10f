"""Loads an account into the file warehouse.duckdb.

SURVEY_URL=https://survey.example.com SURVEY_READ_KEY=… python load_duckdb.py [SURVEY_ID:QUESTION_IDS …]
"""

import os
import sys

import dlt
from survey_source import ScoreRequest, survey_source


def score_request(text: str) -> ScoreRequest:
    survey_id, question_ids = text.split(":")
    return {"survey_id": int(survey_id), "question_ids": [int(number) for number in question_ids.split(",")]}


try:
    scores = [score_request(text) for text in sys.argv[1:]]
except ValueError:
    sys.exit(f"each score must be SURVEY_ID:QUESTION_IDS, such as 1:11,12\n{__doc__}")
pipeline = dlt.pipeline("survey", destination=dlt.destinations.duckdb("warehouse.duckdb"), dataset_name="survey")
print(pipeline.run(survey_source(os.environ["SURVEY_URL"], os.environ["SURVEY_READ_KEY"], scores)))
