"""Writes client.py beside the async_client.py of the argument, which it is made of."""

import sys

from unasync import Rule, unasync_files

NAMES = {
    "aclose": "close",
    "asyncio": "time",
    "AsyncBaseTransport": "BaseTransport",
    "AsyncClient": "Client",
    "AsyncResult": "Result",
    "AsyncRows": "Rows",
    "AsyncSurveyClient": "SurveyClient",
}
unasync_files(sys.argv[1:], [Rule("async_client.py", "client.py", NAMES)])
