package svctest

import (
	"encoding/json"
	"fmt"
)

// Error is a response that is not a success, a server that can't be reached, or one that doesn't start.
type Error struct {
	// Status of the response, 0 without one.
	Status int
	// Code is the error's word, such as invalid_rule.
	Code string
	// Details is what the error says in words; it may be empty.
	Details string
	// Body is the parsed JSON of the response, or its text.
	Body any
	// Cause is the error of the connection, the file or the process, if there is one.
	Cause error

	message string
}

func (e *Error) Error() string { return e.message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// VerificationError says that the requests that came are not the expected ones.
type VerificationError struct {
	// Message names the closest request and how it differs, or what came instead.
	Message string
	// Status of the response.
	Status int
	// Expected is the expected number in words, Count how many requests came.
	Expected string
	Count    int
	// Closest are the requests that nearly match, each with its differences.
	Closest []any
	// Body is the parsed JSON of the response.
	Body map[string]any
}

func (e *VerificationError) Error() string { return e.Message }

// errorOf returns the error that a response with this status and body means.
func errorOf(status int, text []byte) error {
	var body any
	if json.Unmarshal(text, &body) != nil {
		body = string(text)
	}
	members, _ := body.(map[string]any)
	if members["error"] == "verification_failed" {
		return verificationError(status, members)
	}
	code, _ := members["error"].(string)
	details, _ := members["details"].(string)
	return &Error{Status: status, Code: code, Details: details, Body: body, message: fmt.Sprintf("%d: %s", status, text)}
}

func verificationError(status int, body map[string]any) *VerificationError {
	message, _ := body["message"].(string)
	expected, _ := body["expected"].(string)
	count, _ := body["count"].(float64)
	closest, _ := body["closest"].([]any)
	return &VerificationError{
		Message: message, Status: status, Expected: expected, Count: int(count), Closest: closest, Body: body,
	}
}
