package svctest_test

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-upstream/svc/clients/go/svctest"
)

func needsCommand(t *testing.T) {
	t.Helper()
	if os.Getenv("SVC_COMMAND") == "" {
		t.Skip("SVC_COMMAND is not set: no svc to start")
	}
}

func isServed(url string) bool {
	response, err := http.Get(url + "/_svc/ready")
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.StatusCode == 200
}

func TestStartAndStop(t *testing.T) {
	needsCommand(t)
	t.Setenv("SVC_HTTP_PORT", "of the environment, which is not passed on")
	pot := object{"name": "pot", "match": object{"path": "/pot"}, "then": object{"respond": object{"status": 202}}}
	svc, err := svctest.Start(svctest.Options{
		Config: object{"rules": []object{pot}},
		Env:    map[string]string{"SVC_ADMIN_TOKEN": "secret"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer svc.Close()
	equal(t, strings.HasPrefix(svc.URL, "http://127.0.0.1:"), true)
	equal(t, strings.HasPrefix(svc.HTTPSURL, "https://localhost:"), true)
	equal(t, strings.HasPrefix(svc.GRPCAddress, "127.0.0.1:"), true)
	equal(t, strings.Contains(svc.Log(), "HTTP listening on"), true)
	equal(t, get(t, svc.URL+"/pot", nil), 202)
	must(svc.Rules.Put("free", object{"match": object{"path": "/free"}, "then": object{"respond": object{"status": 204}}}))(t)
	_, err = svctest.Connect(svc.URL, "wrong").Rules.Clear()
	equal(t, errorOf(t, err).Status, 401)
	equal(t, must(svctest.Connect(svc.URL+"/", "secret").Rules.Clear())(t), 1)
	svc.Close()
	svc.Close()
	equal(t, isServed(svc.URL), false)
}

func TestAProcessThatEnds(t *testing.T) {
	for _, test := range []struct {
		command []string
		message string
	}{
		{[]string{"go", "no-such-command"}, "svc ended with exit code 2 before it was ready:\ngo no-such-command: unknown command"},
		{[]string{"/no/such/program"}, "/no/such/program can't be started"},
	} {
		_, err := svctest.Start(svctest.Options{Command: test.command})
		failure := errorOf(t, err)
		equal(t, []any{failure.Status, failure.Code}, []any{0, "start_failed"})
		if !strings.HasPrefix(err.Error(), test.message) {
			t.Fatalf("got %v, want %s", err, test.message)
		}
	}
}

// TestHelperProcess is not a test: it is what other tests start.
func TestHelperProcess(t *testing.T) {
	switch os.Getenv("CLIENT_TEST_HELPER") {
	case "sleep":
		time.Sleep(time.Hour)
	case "start":
		session := svctest.ForTest(t)
		os.Stdout.WriteString("svc on " + strings.TrimSuffix(session.URL, "/s/"+session.Name) + "\n")
		bufio.NewReader(os.Stdin).ReadString('\n')
	case "fail":
		session := svctest.ForTest(t)
		get(t, session.URL+"/anything/seen", nil)
		t.Fatal("on purpose")
	}
}

func TestAProcessThatIsNeverReady(t *testing.T) {
	_, err := svctest.Start(svctest.Options{
		Command: []string{os.Args[0], "-test.run=TestHelperProcess"},
		Env:     map[string]string{"CLIENT_TEST_HELPER": "sleep"},
		Timeout: 200 * time.Millisecond,
	})
	equal(t, strings.Contains(err.Error(), "svc was not ready within 200ms"), true)
}

func TestTheProcessEndsWithTheBinary(t *testing.T) {
	needsCommand(t)
	for _, how := range []string{"exit", "kill"} {
		child := exec.Command(os.Args[0], "-test.run=TestHelperProcess")
		child.Env = append(os.Environ(), "CLIENT_TEST_HELPER=start", "SVC_URL=")
		input, _ := child.StdinPipe()
		output, _ := child.StdoutPipe()
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		line, _ := bufio.NewReader(output).ReadString('\n')
		url := strings.TrimSpace(strings.TrimPrefix(line, "svc on "))
		equal(t, isServed(url), true)
		if how == "exit" {
			input.Close()
		} else {
			child.Process.Kill()
		}
		_ = child.Wait()
		for deadline := time.Now().Add(time.Minute); isServed(url); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: svc still runs", how)
			}
		}
	}
}

func TestAFailedTestLogsItsRequests(t *testing.T) {
	child := exec.Command(os.Args[0], "-test.run=TestHelperProcess")
	child.Dir = filepath.Dir(os.Args[0])
	child.Env = append(os.Environ(), "CLIENT_TEST_HELPER=fail")
	output, err := child.CombinedOutput()
	equal(t, err != nil, true)
	equal(t, strings.Contains(string(output), "svc requests:\n        GET /anything/seen 200"), true)
}
