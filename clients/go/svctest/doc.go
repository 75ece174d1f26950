// Package svctest is for tests that use svc as their upstream: they store rules, send requests through the system under
// test, and verify what arrived.
//
//	func TestRetries(t *testing.T) {
//		svc := svctest.ForTest(t)
//		svc.Rules.Put("busy", `{"match": {"path": "/orders"}, "then": [{"fail": 503, "times": 2}]}`)
//		callTheClient(svc.URL)
//		if _, err := svc.Verify(map[string]any{"match": map[string]any{"path": "/orders"}, "exactly": 3}); err != nil {
//			t.Fatal(err)
//		}
//	}
//
// Values are the JSON of svc. What the functions take is anything that encoding/json encodes, a json.RawMessage, or a
// string with JSON; results are maps and slices. Goroutines may share all types of this package.
package svctest
