"""Requests to the control plane."""

from __future__ import annotations

import http.client
import ipaddress
import json
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Dict, Mapping, Optional

from ._errors import SvcError, error_of

#: How long a response may take, in addition to what the operation waits, in seconds.
TIMEOUT = 10.0


class Connection:
    """The control plane below a base URL. Threads can share it."""

    def __init__(self, base: str, token: Optional[str]) -> None:
        self.base = base
        self._headers: Dict[str, str] = {} if token is None else {"X-Svc-Admin-Token": token}
        # A proxy for the network is not one for this machine.
        handlers = [urllib.request.ProxyHandler({})] if _is_local(base) else []
        self._opener = urllib.request.build_opener(*handlers)

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        wait: float = 0.0,
    ) -> Any:
        """Returns the parsed answer. ``wait`` is how many seconds the server may take on purpose.

        Raises ``SvcError`` for a response that is not a success, and with the status 0 if there is none.
        """
        headers = dict(self._headers)
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        text = {name: _text(value) for name, value in (query or {}).items()}
        url = self.base + path + ("?" + urllib.parse.urlencode(text) if text else "")
        request = urllib.request.Request(url, data=data, headers=headers, method=method)
        try:
            with self._opener.open(request, timeout=TIMEOUT + wait) as response:
                return json.loads(response.read())
        except urllib.error.HTTPError as response:
            with response:
                raise error_of(response.code, response.read().decode("utf-8", "replace")) from None
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            raise SvcError(
                f"no response from {self.base}: {reason}", error="no_response", details=str(reason)
            ) from error
        except ValueError as error:
            raise SvcError(f"the response of {self.base} is not JSON", error="invalid_response") from error


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _is_local(url: str) -> bool:
    host = urllib.parse.urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
