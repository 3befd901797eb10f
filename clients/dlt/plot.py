"""Plots the scores of warehouse.duckdb over time into scores.png."""

import duckdb

QUERY = """
    select cycle_opened_at, survey_id || ': ' || question_ids as survey_and_questions, avg(score) as score
    from survey.scores
    where not suppressed
    group by all
    order by cycle_opened_at
"""

with duckdb.connect("warehouse.duckdb", read_only=True) as warehouse:
    scores = warehouse.sql(QUERY).df()
axes = scores.pivot(index="cycle_opened_at", columns="survey_and_questions", values="score").plot(marker="o")
axes.set(xlabel="cycle opened", ylabel="score")
axes.figure.savefig("scores.png")
