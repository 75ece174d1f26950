"""Starts svc as a process, and stops it."""

from __future__ import annotations

import atexit
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import deque
from pathlib import Path
from typing import Any, Deque, Dict, List, Mapping, Optional, Sequence, Union

from ._errors import SvcError
from ._version import VERSION

PUBLISHED_NAME = "@svc-upstream/svc"

#: How long a process may take after SIGTERM, in seconds.
_STOP_SECONDS = 5.0
_POLL_SECONDS = 0.05
_KEPT_LINES = 10_000
_SHOWN_LINES = 20
_LISTENING = re.compile(r"\b(HTTP|HTTPS|gRPC) listening on \S*:(\d+)")

_OWN_VARIABLES = {
    "SVC_HOST": "127.0.0.1",
    "SVC_HTTP_PORT": "0",
    "SVC_HTTPS_PORT": "0",
    "SVC_GRPC_PORT": "0",
    "SVC_LOG_LEVEL": "warn",
    # svc ends when its standard input ends, however this process ends.
    "SVC_PARENT_PIPE": "true",
}


class Process:
    """A running svc with its own folder."""

    def __init__(self, command: Sequence[str], folder: str, environment: Mapping[str, str]) -> None:
        self._folder = folder
        self._lines: Deque[str] = deque(maxlen=_KEPT_LINES)
        self._ports: Dict[str, int] = {}
        self._lock = threading.Lock()
        self._is_stopped = False
        self._child = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            # Ctrl+C is for the tests; they stop the server.
            start_new_session=os.name == "posix",
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        atexit.register(self.stop)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._ports['HTTP']}"

    @property
    def https_url(self) -> Optional[str]:
        port = self._ports.get("HTTPS")
        return None if port is None else f"https://localhost:{port}"

    @property
    def grpc_address(self) -> Optional[str]:
        port = self._ports.get("gRPC")
        return None if port is None else f"127.0.0.1:{port}"

    @property
    def log(self) -> str:
        return "".join(f"{line}\n" for line in list(self._lines))

    def wait_until_ready(self, timeout: float) -> None:
        """Raises ``SvcError`` if the process ends, or is not ready after ``timeout`` seconds."""
        deadline = time.monotonic() + timeout
        while not self._is_ready():
            code = self._child.poll()
            if code is not None:
                self._reader.join(1)
                raise self._failure(f"svc ended with exit code {code} before it was ready")
            if time.monotonic() >= deadline:
                raise self._failure(f"svc was not ready within {timeout:g} s")
            time.sleep(_POLL_SECONDS)

    def stop(self) -> None:
        with self._lock:
            if self._is_stopped:
                return
            self._is_stopped = True
        atexit.unregister(self.stop)
        if self._child.stdin is not None:
            try:
                self._child.stdin.close()
            except OSError:
                pass
        if self._child.poll() is None:
            self._child.terminate()
            try:
                self._child.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._kill()
                self._child.wait()
        self._reader.join(1)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _read(self) -> None:
        output = self._child.stdout
        assert output is not None
        with output:
            for line in output:
                text = line.decode("utf-8", "replace").rstrip("\r\n")
                self._lines.append(text)
                found = _LISTENING.search(text)
                if found is not None:
                    self._ports.setdefault(found[1], int(found[2]))

    def _is_ready(self) -> bool:
        if "HTTP" not in self._ports:
            return False
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(f"{self.url}/_svc/ready", timeout=1) as response:
                return bool(response.status == 200)
        except (OSError, urllib.error.URLError):
            return False

    def _failure(self, message: str) -> SvcError:
        lines = list(self._lines)[-_SHOWN_LINES:]
        output = "\n".join(lines) if lines else "(no output)"
        return SvcError(f"{message}:\n{output}", error="start_failed", details=message, body=output)

    def _kill(self) -> None:
        """Ends a wrapper such as npx together with what it has started."""
        if os.name == "posix":
            os.killpg(self._child.pid, signal.SIGKILL)
        else:
            self._child.kill()


def start_process(
    *,
    command: Union[None, str, Sequence[str]],
    config: Union[None, str, Mapping[str, Any]],
    env: Mapping[str, str],
    timeout: float,
) -> Process:
    """Starts svc and waits until it is ready; see ``Svc.start``."""
    words = _command(command)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
    folder = tempfile.mkdtemp(prefix="svc-test-")
    try:
        if config is not None:
            # JSON is valid YAML.
            text = config if isinstance(config, str) else json.dumps(config, indent=2)
            Path(folder, "svc.yaml").write_text(text, encoding="utf-8")
        process = Process(words, folder, {**inherited, **_OWN_VARIABLES, **env})
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        message = f"{words[0]} can't be started: {error}"
        raise SvcError(message, error="start_failed", details=str(error)) from error
    try:
        process.wait_until_ready(timeout)
    except BaseException:
        process.stop()
        raise
    return process


def _command(command: Union[None, str, Sequence[str]]) -> List[str]:
    given = command or os.environ.get("SVC_COMMAND")
    words = given.split() if isinstance(given, str) else list(given or [])
    if not words:
        found = shutil.which("svc")
        words = [found] if found is not None else [shutil.which("npx") or "npx", "--yes", f"{PUBLISHED_NAME}@{VERSION}"]
    return words
