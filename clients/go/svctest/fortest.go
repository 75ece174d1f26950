package svctest

import (
	"os"
	"sync"
	"testing"
)

const shownOfTest = 20

// shared is the svc of all tests of the binary. A process ends with its parent, so nothing has to stop it.
var shared = sync.OnceValues(func() (*Svc, error) {
	if os.Getenv("SVC_URL") != "" {
		return Connect("", ""), nil
	}
	return Start(Options{})
})

// ForTest returns a new session of the svc that all tests of the binary share: that of SVC_URL, otherwise one that is started. At
// the end of the test the session is reset; a failed test logs its last 20 requests. The test fails at once if svc does not start.
func ForTest(t testing.TB) *Session {
	t.Helper()
	svc, err := shared()
	if err != nil {
		t.Fatalf("svc: %v", err)
	}
	session := svc.Session("")
	t.Cleanup(func() { finish(t, session) })
	return session
}

func finish(t testing.TB, session *Session) {
	t.Helper()
	if t.Failed() {
		requests, err := session.Requests(Filter{"limit": shownOfTest})
		if err != nil {
			t.Logf("svc requests: %v", err)
		} else if len(requests) == 0 {
			t.Log("svc requests: no request came")
		} else {
			t.Logf("svc requests:\n%s", linesOf(requests))
		}
	}
	if err := session.End(); err != nil {
		t.Logf("svc: the session can't be reset: %v", err)
	}
}
