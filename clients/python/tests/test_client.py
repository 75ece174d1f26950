"""The operations of a session and of the instance."""

import json
import threading
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

from svc_testing import Svc, SvcError, VerificationError


def get(url, headers=None):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers or {})) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code


def statuses(url, count):
    return [get(url) for _ in range(count)]


BUSY = {"match": {"path": "/anything"}, "then": [{"fail": 503, "times": 2}]}


def test_twice_503_then_200(svc_session):
    stored = svc_session.rules.put("busy", BUSY)
    assert stored["name"] == "busy"
    assert statuses(f"{svc_session.url}/anything", 3) == [503, 503, 200]
    assert svc_session.rules.get("busy")["hits"] == 2


def test_parallel_sessions_do_not_see_each_other(svc):
    def run(_):
        with svc.session() as session:
            session.rules.put("busy", BUSY)
            seen = statuses(f"{session.url}/anything", 3)
            return seen, len(session.requests())

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(run, range(8))) == [([503, 503, 200], 3)] * 8


def test_rules_are_added_listed_deleted_and_cleared(svc_session):
    rules = svc_session.rules
    added = rules.add([{"name": "a", "then": {"pass": True}}, {"then": {"pass": True}}])
    assert [rule["name"] for rule in added] == ["a", "r1"]
    assert {rule["name"] for rule in rules.list()} >= {"a", "r1"}
    assert rules.delete("a") == 1
    with pytest.raises(SvcError) as caught:
        rules.delete("a")
    assert (caught.value.status, caught.value.error) == (404, "unknown_rule")
    assert rules.clear() == 1


def test_a_wrong_rule_names_its_place(svc_session):
    with pytest.raises(SvcError) as caught:
        svc_session.rules.put("x", {"then": [{"fial": 503}]})
    error = caught.value
    assert (error.status, error.error) == (400, "invalid_rule")
    assert "did you mean" in error.details
    assert error.body["at"] == "then[0].fial"


def test_rules_of_a_file_are_stored_all_or_none(svc_session, tmp_path):
    file = tmp_path / "rules.json"
    file.write_text(json.dumps({"rules": [{"name": "one", **BUSY}, {"name": "two", **BUSY}]}))
    assert [rule["name"] for rule in svc_session.rules.load(file)] == ["one", "two"]
    file.write_text(json.dumps({"rules": [{"name": "three", **BUSY}, {"then": [{"fial": 1}]}]}))
    with pytest.raises(SvcError, match="invalid_rule"):
        svc_session.rules.load(file)
    assert "three" not in [rule["name"] for rule in svc_session.rules.list()]
    for text, message in (("rules:\n  - name: a\n", "not JSON"), ("[]", "no list of rules")):
        file.write_text(text)
        with pytest.raises(SvcError, match=message):
            svc_session.rules.load(file)
    with pytest.raises(SvcError, match="can't be read"):
        svc_session.rules.load(tmp_path / "none.json")


def test_requests_are_filtered_and_newest_first(svc_session):
    for path in ("/anything/a", "/anything/b"):
        get(svc_session.url + path)
    assert [entry["uri"] for entry in svc_session.requests()] == ["/anything/b", "/anything/a"]
    assert [entry["uri"] for entry in svc_session.requests({"path": "/anything/a", "status": 200})] == ["/anything/a"]
    assert len(svc_session.requests({"limit": 1})) == 1


def test_the_headers_name_the_session(svc, svc_session):
    assert svc_session.url == f"{svc.url}/s/{svc_session.name}"
    get(f"{svc.url}/anything/by-header", svc_session.headers)
    assert [entry["uri"] for entry in svc_session.requests()] == ["/anything/by-header"]
    assert len({svc.session().name for _ in range(100)}) == 100
    assert svc.session("mine").name == "mine"


def test_wait_for_returns_what_came(svc_session):
    timer = threading.Timer(0.1, get, (f"{svc_session.url}/anything/late",))
    timer.start()
    assert svc_session.wait_for({"path": "/anything/late"})[0]["uri"] == "/anything/late"
    timer.join()


def test_a_wait_that_fails_names_what_came_instead(svc_session):
    get(f"{svc_session.url}/anything/other")
    with pytest.raises(VerificationError) as caught:
        svc_session.wait_for({"path": "/anything/this", "method": "GET"}, 2, timeout_ms=20)
    message = str(caught.value)
    assert message.startswith("expected at least 2 requests with path /anything/this and method GET, got 0 in ")
    assert message.endswith("\nGET /anything/other 200")


def test_a_failed_verification_names_the_closest(svc_session):
    get(f"{svc_session.url}/anything/orders")
    assert svc_session.verify()["verified"] is True
    verified = svc_session.verify(
        {"match": {"path": "/anything/orders"}, "exactly": 1, "within_ms": 1000, "settle_ms": 1}
    )
    assert verified["count"] == 1
    with pytest.raises(VerificationError) as caught:
        svc_session.verify({"match": {"path": "/anything/orders", "method": "PUT"}})
    error = caught.value
    assert isinstance(error, AssertionError) and error.status == 409
    assert "the closest is GET /anything/orders" in str(error)
    assert error.closest[0]["differences"] == [{"at": "method", "expected": "PUT", "got": "GET"}]


def test_har_and_reset(svc_session):
    get(f"{svc_session.url}/anything")
    svc_session.rules.put("busy", BUSY)
    assert len(svc_session.har()["log"]["entries"]) == 1
    assert svc_session.har({"status": 404})["log"]["entries"] == []
    assert svc_session.reset(["requests"])["requests"] == 1
    assert svc_session.reset()["rules"] == 1
    assert svc_session.requests() == []


def test_the_instance_has_the_same_methods(svc):
    name = f"client-{svc.session().name}"
    try:
        svc.rules.put(name, {"match": {"path": f"/{name}"}, "then": {"respond": {"body": "hi"}}})
        assert get(f"{svc.url}/{name}") == 200
        assert name in [rule["name"] for rule in svc.rules.list()]
        svc.verify({"match": {"path": f"/{name}"}, "exactly": 1})
        assert svc.wait_for({"path": f"/{name}"}, 1, 1000)[0]["rule"] == name
    finally:
        svc.rules.delete(name)


def test_attach(svc, monkeypatch):
    monkeypatch.delenv("SVC_URL", raising=False)
    with pytest.raises(SvcError, match="SVC_URL"):
        Svc.connect()
    monkeypatch.setenv("SVC_URL", f"{svc.url}/s/outer/")
    attached = Svc.connect()
    assert attached.url == f"{svc.url}/s/outer", "the base path is kept, and no slash at its end"
    monkeypatch.setenv("SVC_URL", "http://127.0.0.1:9")
    unreachable = Svc.connect()
    unreachable.stop()
    with pytest.raises(SvcError) as caught:
        unreachable.rules.list()
    assert caught.value.status == 0


def test_a_session_resets_at_its_end(svc):
    with svc.session("ended") as session:
        get(f"{session.url}/anything")
    assert svc.session("ended").requests() == []
