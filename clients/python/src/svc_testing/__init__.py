"""Tests that use svc as their upstream.

    with Svc.start() as svc, svc.session() as test:
        test.rules.put("busy", {"match": {"path": "/orders"}, "then": [{"fail": 503, "times": 2}]})
        call_the_client(test.url)
        test.verify({"match": {"path": "/orders"}, "exactly": 3})

Values are the JSON of svc: rules, filters and verifications are dictionaries, and results are dictionaries and lists.
"""

from ._client import Rules, Scope, Svc, SvcSession
from ._errors import SvcError, VerificationError
from ._version import VERSION as __version__

__all__ = ["Rules", "Scope", "Svc", "SvcError", "SvcSession", "VerificationError", "__version__"]
