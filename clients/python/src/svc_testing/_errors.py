"""What the methods of this package raise."""

from __future__ import annotations

import json
from typing import Any, Dict, List


class SvcError(Exception):
    """A response that is not a success, a server that can't be reached, or one that doesn't start.

    ``status`` is the status of the response, 0 without one. ``error`` is the error's word, such as ``invalid_rule``,
    ``details`` what it says in words, and ``body`` the parsed JSON of the response, or its text.
    """

    def __init__(self, message: str, *, status: int = 0, error: str = "", details: str = "", body: Any = None) -> None:
        super().__init__(message)
        self.status = status
        self.error = error
        self.details = details
        self.body = body


class VerificationError(SvcError, AssertionError):
    """The requests that came are not the expected ones.

    ``closest`` are the requests that nearly match, each with its ``differences``; ``expected`` is what was expected in
    words, and ``count`` how many came.
    """

    def __init__(self, message: str, *, status: int, body: Dict[str, Any]) -> None:
        super().__init__(message, status=status, error="verification_failed", details=message, body=body)
        self.closest: List[Dict[str, Any]] = body.get("closest", [])
        self.expected: str = body.get("expected", "")
        self.count: int = body.get("count", 0)


def error_of(status: int, text: str) -> SvcError:
    """The error that a response with this status and body means."""
    try:
        body = json.loads(text)
    except ValueError:
        body = text
    members = body if isinstance(body, dict) else {}
    if members.get("error") == "verification_failed":
        return VerificationError(str(members.get("message", "")), status=status, body=members)
    return SvcError(
        f"{status}: {text}",
        status=status,
        error=str(members.get("error", "")),
        details=str(members.get("details", "")),
        body=body,
    )
