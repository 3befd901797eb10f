"""Loads an account into the file warehouse.duckdb.

SURVEY_URL=https://survey.example.com SURVEY_READ_KEY=… python load_duckdb.py [QUESTION_IDS …]
"""

import os
import sys

import dlt
from survey_source import survey_source

scores = [[int(number) for number in ids.split(",")] for ids in sys.argv[1:]]
pipeline = dlt.pipeline("survey", destination=dlt.destinations.duckdb("warehouse.duckdb"), dataset_name="survey")
print(pipeline.run(survey_source(os.environ["SURVEY_URL"], os.environ["SURVEY_READ_KEY"], scores)))
