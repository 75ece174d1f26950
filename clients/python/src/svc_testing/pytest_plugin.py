"""The pytest plugin: the fixtures ``svc`` and ``svc_session``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Generator, Iterator

import pytest

from ._client import Svc, SvcSession, lines_of
from ._errors import SvcError

_SHOWN_REQUESTS = 20


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("svc", "svc as upstream of the tests")
    group.addoption("--svc-url", help="URL of a running svc (default: SVC_URL; without one, svc is started)")
    group.addoption("--svc-token", help="its admin token (default: SVC_ADMIN_TOKEN)")
    group.addoption("--svc-command", help="command that starts svc (default: SVC_COMMAND, svc in the path, else npx)")
    group.addoption("--svc-config", help="path of an svc.yaml for the svc that is started")


@pytest.fixture(scope="session")
def svc(request: pytest.FixtureRequest) -> Iterator[Svc]:
    """A running svc, for the whole run: that of ``--svc-url`` or ``SVC_URL``, else one that is started."""
    option = request.config.getoption
    url = option("--svc-url") or os.environ.get("SVC_URL")
    if url:
        yield Svc.connect(url, option("--svc-token"))
        return
    path = option("--svc-config")
    token = option("--svc-token")
    with Svc.start(
        command=option("--svc-command"),
        config=None if path is None else _text(path),
        env=None if token is None else {"SVC_ADMIN_TOKEN": token},
    ) as started:
        yield started


@pytest.fixture
def svc_session(svc: Svc) -> Iterator[SvcSession]:
    """A new session for each test, which is reset at the end."""
    with svc.session() as session:
        yield session


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    """Adds the last requests of the session to the report of a failed test."""
    outcome = yield
    report = outcome.get_result()
    session = getattr(item, "funcargs", {}).get("svc_session")
    if report.when != "call" or not report.failed or not isinstance(session, SvcSession):
        return
    try:
        lines = lines_of(session.requests({"limit": _SHOWN_REQUESTS})) or "no request came"
    except SvcError as error:
        lines = str(error)
    report.sections.append(("svc requests", lines))


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise pytest.UsageError(f"--svc-config: {error}") from error
