"""The fixtures and options of the pytest plugin."""

import os

import pytest

FAILING = """
    import urllib.request

    def test_that_fails(svc_session):
        urllib.request.urlopen(svc_session.url + "/anything/seen").read()
        svc_session.verify({"match": {"path": "/anything/missing"}})

    def test_that_passes(svc_session):
        assert svc_session.requests() == []
"""


def test_a_failed_test_shows_its_requests(svc, pytester):
    pytester.makepyfile(FAILING)
    result = pytester.runpytest_subprocess("--svc-url", svc.url)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["*VerificationError: expected at least 1 request*", "*svc requests*", "GET /anything/seen 200"]
    )


def test_a_token_and_a_url_of_the_environment(svc, pytester, monkeypatch):
    monkeypatch.setenv("SVC_URL", svc.url)
    pytester.makepyfile(
        f"""
        def test_attached(svc):
            assert svc.url == {svc.url!r}
        """
    )
    pytester.runpytest_subprocess("--svc-token", "secret").assert_outcomes(passed=1)


@pytest.mark.skipif("SVC_COMMAND" not in os.environ, reason="SVC_COMMAND is not set: no svc to start")
def test_svc_is_started_with_a_configuration(pytester, monkeypatch):
    monkeypatch.delenv("SVC_URL", raising=False)
    config = pytester.makefile(
        ".yaml", svc="rules:\n  - { name: pot, match: { path: /pot }, then: { respond: { status: 204 } } }"
    )
    pytester.makepyfile(
        """
        import urllib.request

        def test_started(svc, svc_session):
            assert urllib.request.urlopen(svc_session.url + "/pot").status == 204
            svc.rules.clear()
        """
    )
    command = os.environ["SVC_COMMAND"]
    result = pytester.runpytest_subprocess(
        "--svc-command", command, "--svc-config", str(config), "--svc-token", "secret"
    )
    result.assert_outcomes(passed=1)


def test_a_configuration_that_is_missing(pytester, monkeypatch):
    monkeypatch.delenv("SVC_URL", raising=False)
    pytester.makepyfile("def test_started(svc): pass")
    result = pytester.runpytest_subprocess("--svc-command", "false", "--svc-config", "none.yaml")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*--svc-config: *none.yaml*"])
