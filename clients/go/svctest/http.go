package svctest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

// requestTimeout is how long a response may take, in addition to what the operation waits.
const requestTimeout = 10 * time.Second

// connection is the control plane below a base URL.
type connection struct {
	base   string
	token  string
	client *http.Client
}

func newConnection(base, token string) connection {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if isLocal(base) {
		// A proxy for the network is not one for this machine.
		transport.Proxy = nil
	}
	return connection{base: base, token: token, client: &http.Client{Transport: transport}}
}

// below returns the control plane of a session, which shares the connections.
func (c connection) below(base string) connection {
	c.base = base
	return c
}

// call decodes the answer into result. wait is how long the server may take on purpose.
func (c connection) call(method, path string, query url.Values, body, result any, wait time.Duration) error {
	data, err := encode(body)
	if err != nil {
		return err
	}
	address := c.base + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	ctx, cancel := context.WithTimeout(context.Background(), requestTimeout+wait)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(data))
	if err != nil {
		return c.unreachable(err)
	}
	if c.token != "" {
		request.Header.Set("X-Svc-Admin-Token", c.token)
	}
	if data != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := c.client.Do(request)
	if err != nil {
		return c.unreachable(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return c.unreachable(err)
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return errorOf(response.StatusCode, text)
	}
	if err := json.Unmarshal(text, result); err != nil {
		message := fmt.Sprintf("the response of %s is not the expected JSON: %v", c.base, err)
		return &Error{Status: response.StatusCode, Code: "invalid_response", Details: err.Error(), Body: string(text), Cause: err, message: message}
	}
	return nil
}

func (c connection) unreachable(err error) error {
	message := fmt.Sprintf("no response from %s: %v", c.base, err)
	return &Error{Code: "no_response", Details: err.Error(), Cause: err, message: message}
}

// encode returns JSON; nil for nil. A string is JSON already.
func encode(value any) ([]byte, error) {
	switch given := value.(type) {
	case nil:
		return nil, nil
	case string:
		return []byte(given), nil
	}
	data, err := json.Marshal(value)
	if err != nil {
		return nil, &Error{Code: "invalid_value", Details: err.Error(), Cause: err, message: "not a JSON value: " + err.Error()}
	}
	return data, nil
}

func isLocal(base string) bool {
	address, err := url.Parse(base)
	if err != nil {
		return false
	}
	ip := net.ParseIP(address.Hostname())
	return address.Hostname() == "localhost" || (ip != nil && ip.IsLoopback())
}
