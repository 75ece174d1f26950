package svctest

import (
	"encoding/json"
	"fmt"
	"net/url"
	"sort"
	"strconv"
	"strings"
	"time"
)

const (
	defaultLimit  = 100
	shownRequests = 5
)

// Filter selects captured requests: names of the inspector's filters, such as path or status, with text or numbers.
type Filter = map[string]any

// Scope is what can be done with a session, and with the whole instance.
type Scope struct {
	// Rules are the rules of the session or of the instance.
	Rules *Rules

	connection connection
	scope      url.Values
}

func newScope(connection connection, scope url.Values) Scope {
	return Scope{Rules: &Rules{connection: connection, scope: scope}, connection: connection, scope: scope}
}

type page struct {
	Requests  []map[string]any
	Satisfied bool
	WaitedMs  json.Number `json:"waited_ms"`
}

// Requests returns captured requests, newest first, at most "limit" of the filter (100).
func (s *Scope) Requests(filter Filter) ([]map[string]any, error) {
	found, err := s.captured(queryOf(filter), 0)
	return found.Requests, err
}

// WaitFor waits until count requests have come that pass the filter, and returns them. If they do not come in time, the
// error is a *VerificationError that names the requests that came instead.
func (s *Scope) WaitFor(filter Filter, count int, timeout time.Duration) ([]map[string]any, error) {
	query := queryOf(filter)
	if !query.Has("limit") {
		query.Set("limit", strconv.Itoa(max(defaultLimit, count)))
	}
	query.Set("wait_for", strconv.Itoa(count))
	query.Set("timeout_ms", strconv.FormatInt(timeout.Milliseconds(), 10))
	found, err := s.captured(query, timeout)
	if err != nil || found.Satisfied {
		return found.Requests, err
	}
	return nil, s.late(filter, count, found)
}

// Verify says whether the expected requests came; with nil, at least one of any kind. If they did not, the error is a
// *VerificationError that names the closest request and how it differs.
func (s *Scope) Verify(verification any) (map[string]any, error) {
	data, err := encode(verification)
	if err != nil {
		return nil, err
	}
	if data == nil {
		data = []byte("{}")
	}
	var times struct {
		WithinMs json.Number `json:"within_ms"`
		SettleMs json.Number `json:"settle_ms"`
	}
	// Wrong types are reported by the server.
	_ = json.Unmarshal(data, &times)
	withinMs, _ := times.WithinMs.Float64()
	settleMs, _ := times.SettleMs.Float64()
	var verified map[string]any
	wait := time.Duration((withinMs + settleMs) * float64(time.Millisecond))
	err = s.connection.call("POST", "/_svc/verify", s.scope, json.RawMessage(data), &verified, wait)
	return verified, err
}

// HAR returns captured requests as an HTTP archive (HAR 1.2).
func (s *Scope) HAR(filter Filter) (map[string]any, error) {
	query := queryOf(filter)
	query.Set("format", "har")
	var archive map[string]any
	err := s.connection.call("GET", "/_svc/requests/export", query, nil, &archive, 0)
	return archive, err
}

// Reset removes what the service keeps, or these kinds of it, and returns how much of each.
func (s *Scope) Reset(kinds ...string) (map[string]int, error) {
	var body any
	if len(kinds) > 0 {
		body = map[string]any{"kinds": kinds}
	}
	var answer struct{ Removed map[string]int }
	err := s.connection.call("POST", "/_svc/reset", s.scope, body, &answer, 0)
	return answer.Removed, err
}

func (s *Scope) captured(query url.Values, wait time.Duration) (page, error) {
	var found page
	err := s.connection.call("GET", "/_svc/requests", query, nil, &found, wait)
	return found, err
}

func (s *Scope) late(filter Filter, count int, found page) error {
	newest := Filter{"limit": shownRequests}
	if session, has := filter["session"]; has {
		newest["session"] = session
	}
	came, err := s.Requests(newest)
	if err != nil {
		return err
	}
	expected := fmt.Sprintf("at least %d", count)
	message := fmt.Sprintf("expected %s %s%s, got %d in %s ms; ", expected, plural(count), described(filter), len(found.Requests), found.WaitedMs)
	if len(came) == 0 {
		message += "no request came"
	} else {
		message += "the newest requests are\n" + linesOf(came)
	}
	ids := make([]any, 0, len(found.Requests))
	for _, entry := range found.Requests {
		ids = append(ids, entry["id"])
	}
	body := map[string]any{"message": message, "expected": expected, "count": float64(len(ids)), "requests": ids, "closest": []any{}}
	return verificationError(200, body)
}

func plural(count int) string {
	if count == 1 {
		return "request"
	}
	return "requests"
}

// described returns a filter in words: with path /orders and method POST.
func described(filter Filter) string {
	conditions := []string{}
	for name, value := range filter {
		if name != "limit" {
			conditions = append(conditions, fmt.Sprintf("%s %v", name, value))
		}
	}
	if len(conditions) == 0 {
		return ""
	}
	sort.Strings(conditions)
	return " with " + strings.Join(conditions, " and ")
}

// linesOf returns captured requests as lines with method, URI and status.
func linesOf(requests []map[string]any) string {
	lines := make([]string, 0, len(requests))
	for _, entry := range requests {
		lines = append(lines, fmt.Sprintf("%v %v %v", entry["method"], entry["uri"], entry["status"]))
	}
	return strings.Join(lines, "\n")
}

func queryOf(filter Filter) url.Values {
	query := url.Values{}
	for name, value := range filter {
		query.Set(name, fmt.Sprint(value))
	}
	return query
}
