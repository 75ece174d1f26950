"""A server, its sessions, and what tests do with them."""

from __future__ import annotations

import json
import os
import secrets
import string
from pathlib import Path
from types import TracebackType
from typing import Any, Dict, List, Mapping, Optional, Sequence, Type, Union
from urllib.parse import quote

from ._errors import SvcError, VerificationError
from ._http import Connection
from ._process import Process, start_process

Json = Dict[str, Any]

_DEFAULT_LIMIT = 100
_SHOWN_REQUESTS = 5
_LETTERS = string.ascii_lowercase + string.digits


class Rules:
    """The rules of a session, or of the instance."""

    def __init__(self, connection: Connection, scope: Mapping[str, str]) -> None:
        self._connection = connection
        self._scope = scope

    def put(self, name: str, rule: Mapping[str, Any]) -> Json:
        """Stores a rule under this name, or replaces it; its counters begin again. Returns it as it is stored."""
        return self._call("PUT", _path(name), body=rule)

    def add(self, rules: Union[Mapping[str, Any], Sequence[Mapping[str, Any]]]) -> List[Json]:
        """Stores a rule or a list of them, all or none. Rules without a name get one."""
        return self._call("POST", "/_svc/rules", body=rules)["rules"]

    def get(self, name: str) -> Json:
        """The rule, with ``matches`` and ``hits``; ``SvcError`` with the status 404 if there is none."""
        return self._call("GET", _path(name))

    def list(self) -> List[Json]:
        """The rules in the order in which they are evaluated."""
        return self._call("GET", "/_svc/rules")["rules"]

    def delete(self, name: str) -> int:
        """Removes a rule; ``SvcError`` with the status 404 if there is none."""
        return self._call("DELETE", _path(name))["removed"]

    def clear(self) -> int:
        """Removes all rules that were stored over HTTP, and returns their number."""
        return self._call("DELETE", "/_svc/rules")["removed"]

    def load(self, path: Union[str, "os.PathLike[str]"]) -> List[Json]:
        """Stores the rules of a JSON file with ``rules``, all or none."""
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise SvcError(f"{path} can't be read: {error}", error="unreadable_file", details=str(error)) from error
        except ValueError as error:
            message = f"{path} is not JSON ({error}); YAML is read by svc itself, as a rule file of svc.yaml"
            raise SvcError(message, error="invalid_file", details=str(error)) from error
        rules = content.get("rules") if isinstance(content, dict) else None
        if not isinstance(rules, list):
            raise SvcError(f'{path} has no list of rules under "rules"', error="invalid_file")
        return self.add(rules)

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        return self._connection.call(method, path, query=self._scope, body=body)


def _path(name: str) -> str:
    return f"/_svc/rules/{quote(name, safe='')}"


class Scope:
    """What can be done with a session, and with the whole instance."""

    def __init__(self, connection: Connection, scope: Mapping[str, str]) -> None:
        self._connection = connection
        self._scope = scope
        self.rules = Rules(connection, scope)

    def requests(self, filter: Optional[Mapping[str, Any]] = None) -> List[Json]:
        """Captured requests, newest first, at most ``limit`` of the filter (100)."""
        return self._captured(filter or {})["requests"]

    def wait_for(
        self, filter: Optional[Mapping[str, Any]] = None, count: int = 1, timeout_ms: int = 5000
    ) -> List[Json]:
        """Waits until ``count`` requests have come that pass the filter, and returns them.

        Raises ``VerificationError`` if they do not come in time; its message names the requests that came instead.
        """
        given = dict(filter or {})
        limit = given.pop("limit", max(_DEFAULT_LIMIT, count))
        wait = {"limit": limit, "wait_for": count, "timeout_ms": timeout_ms}
        page = self._captured({**given, **wait}, wait=timeout_ms / 1000)
        if page["satisfied"]:
            return page["requests"]
        raise self._late(given, count, page)

    def verify(self, verification: Optional[Mapping[str, Any]] = None) -> Json:
        """Whether the expected requests came; by default, at least one of any kind.

        Raises ``VerificationError``, whose message names the closest request and how it differs.
        """
        body = dict(verification or {})
        wait = sum(value for value in map(body.get, ("within_ms", "settle_ms")) if isinstance(value, (int, float)))
        return self._connection.call("POST", "/_svc/verify", query=self._scope, body=body, wait=wait / 1000)

    def har(self, filter: Optional[Mapping[str, Any]] = None) -> Json:
        """Captured requests as an HTTP archive (HAR 1.2)."""
        query = {**(filter or {}), "format": "har"}
        return self._connection.call("GET", "/_svc/requests/export", query=query)

    def reset(self, kinds: Optional[Sequence[str]] = None) -> Dict[str, int]:
        """Removes what the service keeps, or these kinds of it, and returns how much of each."""
        body = None if kinds is None else {"kinds": list(kinds)}
        return self._connection.call("POST", "/_svc/reset", query=self._scope, body=body)["removed"]

    def _captured(self, query: Mapping[str, Any], wait: float = 0.0) -> Json:
        return self._connection.call("GET", "/_svc/requests", query=query, wait=wait)

    def _late(self, filter: Mapping[str, Any], count: int, page: Json) -> VerificationError:
        expected = f"at least {count}"
        came = page["requests"]
        conditions = " and ".join(f"{name} {value}" for name, value in filter.items())
        message = (
            f"expected {expected} {'request' if count == 1 else 'requests'}"
            + (f" with {conditions}" if conditions else "")
            + f", got {len(came)} in {page['waited_ms']} ms"
        )
        session = {"session": filter["session"]} if "session" in filter else {}
        others = lines_of(self.requests({**session, "limit": _SHOWN_REQUESTS}))
        message += f"; the newest requests are\n{others}" if others else "; no request came"
        details = {"expected": expected, "count": len(came), "requests": [entry["id"] for entry in came], "closest": []}
        return VerificationError(message, status=200, body=details)


def lines_of(requests: Sequence[Mapping[str, Any]]) -> str:
    """Captured requests as lines with method, URI and status."""
    return "\n".join(f"{entry.get('method')} {entry.get('uri')} {entry.get('status')}" for entry in requests)


class SvcSession(Scope):
    """A session: what one test stores and sees. ``url`` is the base URL for the system under test."""

    def __init__(self, base: str, token: Optional[str], name: str) -> None:
        url = f"{base}/s/{quote(name, safe='')}"
        super().__init__(Connection(url, token), {})
        self.name = name
        self.url = url
        #: The header that names the session, for clients with a fixed URL.
        self.headers: Dict[str, str] = {"X-Svc-Session": name}

    def end(self) -> None:
        """Removes everything that the service keeps of the session."""
        self.reset()

    def __enter__(self) -> "SvcSession":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.end()


class Svc(Scope):
    """A running svc. Its methods concern the whole instance; ``session`` opens a part of it for one test."""

    def __init__(self, url: str, token: Optional[str] = None, process: Optional[Process] = None) -> None:
        base = url[:-1] if url.endswith("/") else url
        super().__init__(Connection(base, token), {"scope": "instance"})
        self.url = base
        self._token = token
        self._process = process

    @classmethod
    def start(
        cls,
        command: Union[None, str, Sequence[str]] = None,
        config: Union[None, str, Mapping[str, Any]] = None,
        env: Optional[Mapping[str, str]] = None,
        timeout: float = 30,
    ) -> "Svc":
        """Starts svc on free ports of 127.0.0.1, in an empty folder, and waits until it is ready.

        ``command`` is the program with its arguments (a text is split at spaces); by default the variable
        ``SVC_COMMAND``, else ``svc`` in the path, else ``npx`` with the package of this version. ``config`` is the
        text of ``svc.yaml``, or its content. ``env`` are variables; ``SVC_*`` of the environment are not passed on.
        ``timeout`` is in seconds. Raises ``SvcError`` with the end of the output if svc ends or is not ready in time.
        """
        process = start_process(command=command, config=config, env=env or {}, timeout=timeout)
        return cls(process.url, (env or {}).get("SVC_ADMIN_TOKEN"), process)

    @classmethod
    def connect(cls, url: Optional[str] = None, token: Optional[str] = None) -> "Svc":
        """Uses a running instance: by default the one of ``SVC_URL``, with the token of ``SVC_ADMIN_TOKEN``.

        No request is made. Raises ``SvcError`` if there is no URL.
        """
        address = url or os.environ.get("SVC_URL")
        if not address:
            raise SvcError("no URL: give one, or set SVC_URL", error="no_url")
        return cls(address, token or os.environ.get("SVC_ADMIN_TOKEN") or None)

    @property
    def https_url(self) -> Optional[str]:
        """Base URL over TLS of a started process; else the variable ``SVC_HTTPS_URL``."""
        return os.environ.get("SVC_HTTPS_URL") if self._process is None else self._process.https_url

    @property
    def grpc_address(self) -> Optional[str]:
        """``127.0.0.1:<port>`` of a started process, for gRPC without TLS; else the variable ``SVC_GRPC_ADDRESS``."""
        return os.environ.get("SVC_GRPC_ADDRESS") if self._process is None else self._process.grpc_address

    @property
    def log(self) -> str:
        """What a started process has printed."""
        return "" if self._process is None else self._process.log

    def session(self, name: Optional[str] = None) -> SvcSession:
        """Opens a session; without a name, a new one. No request is made."""
        fresh = "t-" + "".join(secrets.choice(_LETTERS) for _ in range(12))
        return SvcSession(self.url, self._token, name or fresh)

    def stop(self) -> None:
        """Stops a started process and removes its folder. Can be called several times."""
        if self._process is not None:
            self._process.stop()

    def __enter__(self) -> "Svc":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.stop()
