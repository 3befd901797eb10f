"""Calls the packed client with wrong arguments, hosts and settings; prints JSON of what it says."""

import asyncio
import json
import os
import ssl
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import httpx
from survey_client import AsyncSurveyClient, ConfigurationError, Retries, SurveyClient, SurveyError

NOW = datetime.now(UTC)
QUICK = Retries(most=2, first_wait=0.001, longest_wait=0.004)
PROBLEM = {"content-type": "application/problem+json"}


def said(call: Callable[[], object]) -> str:
    try:
        call()
    except (SurveyError, TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return "nothing"


def arguments(client: Any) -> dict[str, str]:
    wrong: dict[str, Callable[[], object]] = {
        "survey_ids": lambda: client.text_responses(survey_ids="12"),
        "question_ids": lambda: client.text_responses(question_ids=[1, "2"]),
        "attribute_option_ids": lambda: client.text_responses(attribute_option_ids=[1.5]),
        "survey_cycle_ids": lambda: client.text_responses(survey_cycle_ids="0d5f"),
        "survey_id": lambda: client.survey_cycles(survey_id=True),
        "is_archived": lambda: client.surveys(is_archived="false"),
        "created_after": lambda: client.surveys(created_after="2024-01-31"),
        "attribute_id": lambda: client.attribute_options(0),
        "page_size": lambda: client.employees(page_size=1.5),
        "etag": lambda: client.employees().unless_changed_since("*"),
        "period_from": lambda: client.score([1], "2024-01-31T09:00:00", NOW),
        "period_to": lambda: client.score([1], NOW, date(2024, 1, 31)),
        "participation": lambda: client.score([1], NOW, NOW, participation=1),
        "snapshot": lambda: client.import_employees("employees.json"),
        "wait_for_running": lambda: client.import_employees({1, 2}, wait_for_running=True),
        "idempotency_key": lambda: client.import_employees([], idempotency_key=""),
        "base_url": lambda: SurveyClient("survey.example.com", "key"),
        "api_key": lambda: SurveyClient("http://x", "key\n"),
        "timeout": lambda: SurveyClient("http://x", "key", timeout=0),
        "verify": lambda: SurveyClient("http://x", "key", verify="authority.pem"),
        "proxy": lambda: SurveyClient("http://x", "key", proxy="nonsense://y"),
    }
    return {name: said(call) for name, call in wrong.items()}


def environment() -> dict[str, str]:
    found = {}
    for name, value in {"NO_PROXY": "[::1", "ALL_PROXY": "socks5://x:1", "SSL_CERT_FILE": "/nowhere"}.items():
        os.environ[name] = value
        found[name] = said(lambda: SurveyClient("http://x", "key"))
        del os.environ[name]
    return found


def hosts() -> dict[str, object]:
    """What the first page of employees is, by what the host responds, and with how many attempts."""
    responses = {
        "404": httpx.Response(404),
        "HTML": httpx.Response(200, html="<html>"),
        "another service": httpx.Response(200, json={"status": "ok"}),
        "cut off": httpx.Response(200, content=b'{"total', headers={"content-type": "application/json"}),
        "revoked key": httpx.Response(401, json={"type": "urn:survey:problem:unauthorized", "detail": "No."}, headers=PROBLEM),
        "empty account": httpx.Response(200, json={"total_count": 0, "employees": []}),
    }
    found: dict[str, object] = {}
    for name, response in responses.items():
        urls: list[str] = []

        def respond(request: httpx.Request) -> httpx.Response:
            urls.append(str(request.url))
            return response

        for base_url in ("http://x/v1/", "http://x/survey"):
            client = SurveyClient(base_url, "key", retries=QUICK, transport=httpx.MockTransport(respond))
            found[name] = [said(lambda: client.employees().to_list()), len(urls)]
        assert {url.split("?")[0] for url in urls} == {"http://x/v1/employees", "http://x/survey/v1/employees"}, urls
    return found


def certificate() -> list[object]:
    attempts = 0

    def refuse(request: httpx.Request) -> httpx.Response:
        nonlocal attempts
        attempts += 1
        raise httpx.ConnectError("certificate verify failed") from ssl.SSLCertVerificationError()

    client = SurveyClient("https://x", "key", retries=QUICK, http_client=httpx.Client(transport=httpx.MockTransport(refuse)))
    return [said(client.employees().count), attempts]


def waiting() -> list[object]:
    running = {"type": "urn:survey:problem:conflict", "detail": "An import is running."}
    answers = [httpx.Response(409, json=running, headers=PROBLEM)] * 4 + [httpx.Response(202, json={"import_uuid": "u"})]
    left = iter(answers)
    keys: set[str] = set()

    def respond(request: httpx.Request) -> httpx.Response:
        keys.add(request.headers["idempotency-key"])
        return next(left)

    client = SurveyClient("http://x", "key", retries=QUICK, transport=httpx.MockTransport(respond))
    accepted = client.import_employees([], wait_for_running=True)
    left = iter(answers)
    return [accepted, len(keys), said(lambda: client.import_employees([]))]


async def asynchronous() -> list[object]:
    query: list[str] = []

    def respond(request: httpx.Request) -> httpx.Response:
        query.append(str(request.url.params))
        return httpx.Response(200, json={"score": None})

    client = AsyncSurveyClient("http://x", "key", transport=httpx.MockTransport(respond))
    await client.score((1, 2), "2024-01-31T09:00:00Z", NOW, survey_ids=[3], attribute_option_ids=[4], participation=True)
    try:
        await client.score([1], NOW, NOW, survey_ids="12")  # type: ignore[arg-type]
    except TypeError as error:
        return [query[0].split("period_to")[0] + query[0].split("&", 3)[-1], str(error)]
    return []


with SurveyClient("http://x", "key") as unused:
    results = {
        "arguments": arguments(unused),
        "environment": environment(),
        "hosts": hosts(),
        "certificate": certificate(),
        "waiting": waiting(),
        "asynchronous": asyncio.run(asynchronous()),
    }
json.dump(results, sys.stdout)
