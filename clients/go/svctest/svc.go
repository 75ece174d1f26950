package svctest

import (
	"crypto/rand"
	"net/url"
	"os"
	"strings"
)

const sessionLetters = "abcdefghijklmnopqrstuvwxyz0123456789"

// Svc is a running svc. The methods of its scope concern the whole instance; Session opens a part of it for one test.
type Svc struct {
	Scope
	// URL is the base URL, without a slash at its end.
	URL string
	// HTTPSURL is the base URL over TLS of a started process, else the variable SVC_HTTPS_URL.
	HTTPSURL string
	// GRPCAddress is host and port for gRPC without TLS of a started process, else the variable SVC_GRPC_ADDRESS.
	GRPCAddress string

	token   string
	process *process
}

// Connect uses a running instance: without a URL the one of SVC_URL, without a token the one of SVC_ADMIN_TOKEN. It makes no
// request, so an instance that can't be reached is an error of the first operation.
func Connect(address, token string) *Svc {
	if address == "" {
		address = os.Getenv("SVC_URL")
	}
	if token == "" {
		token = os.Getenv("SVC_ADMIN_TOKEN")
	}
	svc := newSvc(address, token)
	svc.HTTPSURL = os.Getenv("SVC_HTTPS_URL")
	svc.GRPCAddress = os.Getenv("SVC_GRPC_ADDRESS")
	return svc
}

// Start starts svc on free ports of 127.0.0.1, in an empty folder, and waits until it is ready. The error is an *Error with
// the end of the output if svc ends or is not ready in time.
func Start(options Options) (*Svc, error) {
	process, err := startProcess(options)
	if err != nil {
		return nil, err
	}
	svc := newSvc(process.url(), options.Env["SVC_ADMIN_TOKEN"])
	svc.HTTPSURL = process.address("HTTPS", "https://localhost:")
	svc.GRPCAddress = process.address("gRPC", "127.0.0.1:")
	svc.process = process
	return svc, nil
}

func newSvc(address, token string) *Svc {
	base := strings.TrimSuffix(address, "/")
	scope := newScope(newConnection(base, token), url.Values{"scope": {"instance"}})
	return &Svc{Scope: scope, URL: base, token: token}
}

// Close stops a started process and removes its folder. It can be called several times.
func (s *Svc) Close() {
	if s.process != nil {
		s.process.stop()
	}
}

// Log returns what a started process has printed.
func (s *Svc) Log() string {
	if s.process == nil {
		return ""
	}
	return s.process.log()
}

// Session opens a session; with "" as name, a new one. It makes no request.
func (s *Svc) Session(name string) *Session {
	if name == "" {
		name = freshName()
	}
	base := s.URL + "/s/" + url.PathEscape(name)
	return &Session{
		Scope:   newScope(s.connection.below(base), nil),
		Name:    name,
		URL:     base,
		Headers: map[string]string{"X-Svc-Session": name},
	}
}

// freshName returns t- and 12 letters or digits.
func freshName() string {
	drawn := make([]byte, 12)
	if _, err := rand.Read(drawn); err != nil {
		panic(err)
	}
	for i, value := range drawn {
		drawn[i] = sessionLetters[int(value)%len(sessionLetters)]
	}
	return "t-" + string(drawn)
}

// Session is what one test stores and sees.
type Session struct {
	Scope
	Name string
	// URL is the base URL for the system under test, without a slash at its end.
	URL string
	// Headers name the session, for clients with a fixed URL.
	Headers map[string]string
}

// End removes everything that the service keeps of the session.
func (s *Session) End() error {
	_, err := s.Reset()
	return err
}
