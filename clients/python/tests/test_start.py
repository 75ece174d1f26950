"""Starting and stopping a process."""

import os
import signal
import subprocess
import sys
import textwrap
import time
import urllib.request

import pytest

from svc_testing import Svc, SvcError

pytestmark = pytest.mark.skipif("SVC_COMMAND" not in os.environ, reason="SVC_COMMAND is not set: no svc to start")


def is_served(url):
    try:
        with urllib.request.urlopen(f"{url}/_svc/ready", timeout=5) as response:
            return response.status == 200
    except OSError:
        return False


def until_gone(url):
    deadline = time.monotonic() + 60
    while is_served(url) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not is_served(url)


def test_start_and_stop(monkeypatch):
    monkeypatch.setenv("SVC_ADMIN_TOKEN", "of the environment, which is not passed on")
    config = {"rules": [{"name": "teapot", "match": {"path": "/pot"}, "then": {"respond": {"status": 202}}}]}
    with Svc.start(config=config, env={"SVC_INSTANCE_ID": "mine"}) as svc:
        assert svc.url.startswith("http://127.0.0.1:")
        assert svc.https_url.startswith("https://localhost:")
        assert svc.grpc_address.startswith("127.0.0.1:")
        assert "HTTP listening on" in svc.log
        assert urllib.request.urlopen(f"{svc.url}/pot").status == 202
        svc.rules.put("free", {"match": {"path": "/free"}, "then": {"respond": {"status": 204}}})
    svc.stop()
    assert not is_served(svc.url)


def test_a_token_protects_the_instance():
    with Svc.start(env={"SVC_ADMIN_TOKEN": "secret"}) as svc:
        svc.rules.put("mine", {"then": {"pass": True}})
        assert svc.rules.delete("mine") == 1
        with pytest.raises(SvcError) as caught:
            Svc.connect(svc.url, "wrong").rules.put("theirs", {"then": {"pass": True}})
        assert caught.value.status == 401
        Svc.connect(svc.url + "/", "secret").rules.clear()


@pytest.mark.parametrize(
    "command, message",
    [
        ("false", "ended with exit code 1"),
        (
            [sys.executable, "-c", "import sys; print('no luck'); sys.exit(3)"],
            "exit code 3 before it was ready:\nno luck",
        ),
        ("/no/such/program", "can't be started"),
    ],
)
def test_a_process_that_ends(command, message):
    with pytest.raises(SvcError, match=message) as caught:
        Svc.start(command=command, timeout=30)
    assert (caught.value.status, caught.value.error) == (0, "start_failed")


def test_a_process_that_is_never_ready():
    with pytest.raises(SvcError, match="not ready within 0.2 s"):
        Svc.start(command=[sys.executable, "-c", "import time; time.sleep(600)"], timeout=0.2)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("how", ["exit", "kill"])
def test_the_process_ends_with_the_interpreter(how):
    program = textwrap.dedent(
        """
        import sys
        from svc_testing import Svc
        print(Svc.start().url, flush=True)
        sys.stdin.read()
        """
    )
    child = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    url = child.stdout.readline().strip()
    assert is_served(url)
    if how == "exit":
        child.stdin.close()
    else:
        child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    assert until_gone(url)
