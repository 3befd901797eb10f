"""Plots the scores of warehouse.duckdb over time into scores.png."""

import duckdb

QUERY = """
    select cycle_opened_at, question_ids, avg(score) as score -- cycles of several surveys may open together
    from survey.scores
    where not suppressed
    group by all
    order by cycle_opened_at
"""

with duckdb.connect("warehouse.duckdb", read_only=True) as warehouse:
    scores = warehouse.sql(QUERY).df()
axes = scores.pivot(index="cycle_opened_at", columns="question_ids", values="score").plot(marker="o")
axes.set(xlabel="cycle opened", ylabel="score")
axes.figure.savefig("scores.png")
