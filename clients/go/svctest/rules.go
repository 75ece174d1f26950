package svctest

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
)

// Rules are the rules of a session, or of the instance.
type Rules struct {
	connection connection
	scope      url.Values
}

// Put stores a rule under this name, or replaces it; its counters begin again. It returns the rule as it is stored.
func (r *Rules) Put(name string, rule any) (map[string]any, error) {
	var stored map[string]any
	err := r.call("PUT", rulePath(name), rule, &stored)
	return stored, err
}

// Add stores a rule or a list of rules, all or none. Rules without a name get one.
func (r *Rules) Add(rules any) ([]map[string]any, error) {
	var answer struct{ Rules []map[string]any }
	err := r.call("POST", "/_svc/rules", rules, &answer)
	return answer.Rules, err
}

// Load stores the rules of a JSON file with "rules", all or none.
func (r *Rules) Load(path string) ([]map[string]any, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, &Error{Code: "unreadable_file", Details: err.Error(), Cause: err, message: err.Error()}
	}
	var content struct{ Rules []json.RawMessage }
	if !json.Valid(text) {
		message := fmt.Sprintf("%s is not JSON; YAML is read by svc itself, as a rule file of svc.yaml", path)
		return nil, &Error{Code: "invalid_file", Details: message, message: message}
	}
	if json.Unmarshal(text, &content) != nil || content.Rules == nil {
		message := fmt.Sprintf("%s has no list of rules under \"rules\"", path)
		return nil, &Error{Code: "invalid_file", Details: message, message: message}
	}
	return r.Add(content.Rules)
}

// Get returns the rule, with matches and hits; *Error with the status 404 if there is no such rule.
func (r *Rules) Get(name string) (map[string]any, error) {
	var rule map[string]any
	err := r.call("GET", rulePath(name), nil, &rule)
	return rule, err
}

// List returns the rules in the order in which they are evaluated.
func (r *Rules) List() ([]map[string]any, error) {
	var answer struct{ Rules []map[string]any }
	err := r.call("GET", "/_svc/rules", nil, &answer)
	return answer.Rules, err
}

// Delete removes a rule; *Error with the status 404 if there is no such rule.
func (r *Rules) Delete(name string) (int, error) {
	var answer struct{ Removed int }
	err := r.call("DELETE", rulePath(name), nil, &answer)
	return answer.Removed, err
}

// Clear removes all rules that were stored over HTTP, and returns their number.
func (r *Rules) Clear() (int, error) {
	var answer struct{ Removed int }
	err := r.call("DELETE", "/_svc/rules", nil, &answer)
	return answer.Removed, err
}

func (r *Rules) call(method, path string, body, result any) error {
	return r.connection.call(method, path, r.scope, body, result, 0)
}

func rulePath(name string) string { return "/_svc/rules/" + url.PathEscape(name) }
