package svctest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/svc-upstream/svc/clients/go/svctest"
)

const busy = `{"match": {"path": "/anything"}, "then": [{"fail": 503, "times": 2}]}`

type object = map[string]any

func get(t *testing.T, url string, headers map[string]string) int {
	t.Helper()
	request, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}

func must[T any](value T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func equal(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func names(rules []object) []any {
	found := []any{}
	for _, rule := range rules {
		found = append(found, rule["name"])
	}
	return found
}

func uris(requests []object) string {
	found := []string{}
	for _, entry := range requests {
		found = append(found, fmt.Sprint(entry["uri"]))
	}
	return strings.Join(found, " ")
}

func errorOf(t *testing.T, err error) *svctest.Error {
	t.Helper()
	var found *svctest.Error
	if !errors.As(err, &found) {
		t.Fatalf("got %v, want an *Error", err)
	}
	return found
}

func TestTwice503Then200(t *testing.T) {
	session := svctest.ForTest(t)
	equal(t, must(session.Rules.Put("busy", busy))(t)["name"], "busy")
	for _, want := range []int{503, 503, 200} {
		equal(t, get(t, session.URL+"/anything", nil), want)
	}
	equal(t, must(session.Rules.Get("busy"))(t)["hits"], 2.0)
}

func TestParallelSessionsDoNotSeeEachOther(t *testing.T) {
	for i := 0; i < 8; i++ {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			session := svctest.ForTest(t)
			must(session.Rules.Put("busy", json.RawMessage(busy)))(t)
			for _, want := range []int{503, 503, 200} {
				equal(t, get(t, session.URL+"/anything", nil), want)
			}
			equal(t, len(must(session.Requests(nil))(t)), 3)
		})
	}
}

func TestRulesAreAddedListedDeletedAndCleared(t *testing.T) {
	rules := svctest.ForTest(t).Rules
	added := must(rules.Add([]object{{"name": "a", "then": object{"pass": true}}, {"then": object{"pass": true}}}))(t)
	equal(t, names(added), []any{"a", "r1"})
	equal(t, strings.Contains(fmt.Sprint(names(must(rules.List())(t))), "r1"), true)
	equal(t, must(rules.Delete("a"))(t), 1)
	_, err := rules.Delete("a")
	failure := errorOf(t, err)
	equal(t, []any{failure.Status, failure.Code}, []any{404, "unknown_rule"})
	equal(t, must(rules.Clear())(t), 1)
}

func TestAWrongRuleNamesItsPlace(t *testing.T) {
	_, err := svctest.ForTest(t).Rules.Put("x", object{"then": []object{{"fial": 503}}})
	failure := errorOf(t, err)
	equal(t, []any{failure.Status, failure.Code}, []any{400, "invalid_rule"})
	equal(t, failure.Body.(object)["at"], "then[0].fial")
	equal(t, strings.Contains(failure.Details, "did you mean"), true)
	_, err = svctest.ForTest(t).Rules.Put("x", func() {})
	equal(t, errorOf(t, err).Code, "invalid_value")
}

func TestRulesOfAFileAreStoredAllOrNone(t *testing.T) {
	rules := svctest.ForTest(t).Rules
	file := filepath.Join(t.TempDir(), "rules.json")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"rules": [{"name": "one", "then": {"pass": true}}, {"name": "two", "then": {"pass": true}}]}`)
	equal(t, names(must(rules.Load(file))(t)), []any{"one", "two"})
	for text, code := range map[string]string{
		`{"rules": [{"name": "three", "then": {"pass": true}}, {"then": [{"fial": 1}]}]}`: "invalid_rule",
		"rules:\n  - name: a\n": "invalid_file",
		"[]":                    "invalid_file",
	} {
		write(text)
		_, err := rules.Load(file)
		equal(t, errorOf(t, err).Code, code)
	}
	equal(t, strings.Contains(fmt.Sprint(names(must(rules.List())(t))), "three"), false)
	_, err := rules.Load(file + ".none")
	equal(t, errorOf(t, err).Code, "unreadable_file")
	equal(t, errors.Is(err, os.ErrNotExist), true)
}

func TestRequestsAreFilteredAndNewestFirst(t *testing.T) {
	session := svctest.ForTest(t)
	get(t, session.URL+"/anything/a", nil)
	get(t, session.URL+"/anything/b", session.Headers)
	equal(t, uris(must(session.Requests(nil))(t)), "/anything/b /anything/a")
	equal(t, uris(must(session.Requests(svctest.Filter{"path": "/anything/a", "status": 200}))(t)), "/anything/a")
	equal(t, len(must(session.Requests(svctest.Filter{"limit": 1}))(t)), 1)
}

func TestWaitForReturnsWhatCame(t *testing.T) {
	session := svctest.ForTest(t)
	time.AfterFunc(100*time.Millisecond, func() {
		if response, err := http.Get(session.URL + "/anything/late"); err == nil {
			response.Body.Close()
		}
	})
	equal(t, uris(must(session.WaitFor(svctest.Filter{"path": "/anything/late"}, 1, 20*time.Second))(t)), "/anything/late")
}

func TestAWaitThatFailsNamesWhatCameInstead(t *testing.T) {
	session := svctest.ForTest(t)
	get(t, session.URL+"/anything/other", nil)
	_, err := session.WaitFor(svctest.Filter{"path": "/anything/this", "method": "GET"}, 2, 20*time.Millisecond)
	var failure *svctest.VerificationError
	equal(t, errors.As(err, &failure), true)
	want := "expected at least 2 requests with method GET and path /anything/this, got 0 in "
	equal(t, strings.HasPrefix(failure.Message, want), true)
	equal(t, strings.HasSuffix(failure.Message, "\nGET /anything/other 200"), true)
	equal(t, []any{failure.Expected, failure.Count}, []any{"at least 2", 0})
}

func TestAFailedVerificationNamesTheClosest(t *testing.T) {
	session := svctest.ForTest(t)
	get(t, session.URL+"/anything/orders", nil)
	equal(t, must(session.Verify(nil))(t)["verified"], true)
	one := object{"match": object{"path": "/anything/orders"}, "exactly": 1, "within_ms": 1000, "settle_ms": 1}
	equal(t, must(session.Verify(one))(t)["count"], 1.0)
	_, err := session.Verify(`{"match": {"path": "/anything/orders", "method": "PUT"}}`)
	var failure *svctest.VerificationError
	equal(t, errors.As(err, &failure), true)
	equal(t, failure.Status, 409)
	equal(t, strings.Contains(err.Error(), "the closest is GET /anything/orders"), true)
	want := []any{object{"at": "method", "expected": "PUT", "got": "GET"}}
	equal(t, failure.Closest[0].(object)["differences"], any(want))
	_, err = session.Verify(`{"exactly": "one"}`)
	equal(t, errorOf(t, err).Status, 400)
}

func TestHARAndReset(t *testing.T) {
	session := svctest.ForTest(t)
	get(t, session.URL+"/anything", nil)
	must(session.Rules.Put("busy", busy))(t)
	entries := func(filter svctest.Filter) int {
		return len(must(session.HAR(filter))(t)["log"].(object)["entries"].([]any))
	}
	equal(t, []int{entries(nil), entries(svctest.Filter{"status": 404})}, []int{1, 0})
	equal(t, must(session.Reset("requests"))(t)["requests"], 1)
	equal(t, must(session.Reset())(t)["rules"], 1)
	equal(t, len(must(session.Requests(nil))(t)), 0)
}

func TestTheInstanceHasTheSameMethods(t *testing.T) {
	session := svctest.ForTest(t)
	svc := svctest.Connect(strings.TrimSuffix(session.URL, "/s/"+session.Name)+"/", "")
	name := "client-" + session.Name
	must(svc.Rules.Put(name, object{"match": object{"path": "/" + name}, "then": object{"respond": object{"body": "hi"}}}))(t)
	defer svc.Rules.Delete(name)
	equal(t, get(t, svc.URL+"/"+name, nil), 200)
	must(svc.Verify(object{"match": object{"path": "/" + name}, "exactly": 1}))(t)
	equal(t, must(svc.WaitFor(svctest.Filter{"path": "/" + name}, 1, time.Second))(t)[0]["rule"], name)
	equal(t, svc.Session("mine").URL, svc.URL+"/s/mine")
	svc.Close()
}

func TestAttach(t *testing.T) {
	t.Setenv("SVC_URL", "http://127.0.0.1:9/base/")
	t.Setenv("SVC_HTTPS_URL", "https://localhost:1")
	t.Setenv("SVC_GRPC_ADDRESS", "localhost:2")
	svc := svctest.Connect("", "")
	equal(t, []string{svc.URL, svc.HTTPSURL, svc.GRPCAddress}, []string{"http://127.0.0.1:9/base", "https://localhost:1", "localhost:2"})
	_, err := svc.Rules.List()
	failure := errorOf(t, err)
	equal(t, []any{failure.Status, failure.Code}, []any{0, "no_response"})
	equal(t, svc.Log(), "")
}
