package svctest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

const (
	publishedName = "@svc-upstream/svc"
	// stopTime is how long a process may take to end before it is killed.
	stopTime     = 5 * time.Second
	pollTime     = 50 * time.Millisecond
	keptLines    = 10_000
	shownLines   = 20
	startTimeout = 30 * time.Second
)

var listening = regexp.MustCompile(`\b(HTTP|HTTPS|gRPC) listening on \S*:(\d+)`)

var ownVariables = []string{
	"SVC_HOST=127.0.0.1",
	"SVC_HTTP_PORT=0",
	"SVC_HTTPS_PORT=0",
	"SVC_GRPC_PORT=0",
	"SVC_LOG_LEVEL=warn",
	// svc ends when its standard input ends, however this process ends.
	"SVC_PARENT_PIPE=true",
}

// Options of Start.
type Options struct {
	// Command is the program with its arguments: by default the variable SVC_COMMAND, split at spaces, else svc in the path, else
	// npx with the package of this version.
	Command []string
	// Config is svc.yaml: its text as a string, or a value that is encoded as JSON. Nil: no configuration.
	Config any
	// Env are variables; those of the environment that begin with SVC_ are not passed on.
	Env map[string]string
	// Timeout until svc is ready; 30 s by default.
	Timeout time.Duration
}

// process is a running svc with its own folder.
type process struct {
	folder string
	child  *exec.Cmd
	input  io.WriteCloser
	// read is closed when the output has ended, exited when the process has.
	read, exited chan struct{}
	stopOnce     sync.Once

	mutex sync.Mutex
	lines []string
	ports map[string]string
}

func startProcess(options Options) (*process, error) {
	folder, err := os.MkdirTemp("", "svc-test-")
	if err != nil {
		return nil, startError("the folder of svc can't be created", err, "")
	}
	p, err := spawn(folder, options)
	if err != nil {
		os.RemoveAll(folder)
		return nil, err
	}
	timeout := options.Timeout
	if timeout <= 0 {
		timeout = startTimeout
	}
	if err := p.waitUntilReady(timeout); err != nil {
		p.stop()
		return nil, err
	}
	return p, nil
}

func spawn(folder string, options Options) (*process, error) {
	if err := writeConfig(folder, options.Config); err != nil {
		return nil, err
	}
	command := commandOf(options)
	child := exec.Command(command[0], command[1:]...)
	child.Dir = folder
	child.Env = environment(options.Env)
	ownGroup(child)
	input, err := child.StdinPipe()
	if err != nil {
		return nil, startError(command[0]+" can't be started", err, "")
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, startError(command[0]+" can't be started", err, "")
	}
	child.Stdout, child.Stderr = writer, writer
	err = child.Start()
	writer.Close()
	if err != nil {
		reader.Close()
		return nil, startError(command[0]+" can't be started", err, "")
	}
	p := &process{
		folder: folder, child: child, input: input, ports: map[string]string{},
		read: make(chan struct{}), exited: make(chan struct{}),
	}
	go p.readOutput(reader)
	go func() {
		_ = child.Wait()
		close(p.exited)
	}()
	return p, nil
}

func writeConfig(folder string, config any) error {
	var text []byte
	switch given := config.(type) {
	case nil:
		return nil
	case string:
		text = []byte(given)
	default:
		// JSON is valid YAML.
		encoded, err := json.MarshalIndent(config, "", "  ")
		if err != nil {
			return startError("the configuration can't be encoded", err, "")
		}
		text = encoded
	}
	if err := os.WriteFile(filepath.Join(folder, "svc.yaml"), text, 0o600); err != nil {
		return startError("svc.yaml can't be written", err, "")
	}
	return nil
}

func commandOf(options Options) []string {
	if len(options.Command) > 0 {
		return options.Command
	}
	if words := strings.Fields(os.Getenv("SVC_COMMAND")); len(words) > 0 {
		return words
	}
	if found, err := exec.LookPath("svc"); err == nil {
		return []string{found}
	}
	return []string{"npx", "--yes", publishedName + "@" + Version}
}

// environment returns that of this process without its SVC_* variables, then what a started svc needs, then those of the caller.
func environment(added map[string]string) []string {
	variables := []string{}
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "SVC_") {
			variables = append(variables, variable)
		}
	}
	variables = append(variables, ownVariables...)
	for name, value := range added {
		variables = append(variables, name+"="+value)
	}
	return variables
}

func (p *process) readOutput(output *os.File) {
	defer close(p.read)
	defer output.Close()
	reader := bufio.NewReader(output)
	for {
		line, err := reader.ReadString('\n')
		if line != "" {
			p.keep(strings.TrimRight(line, "\r\n"))
		}
		if err != nil {
			return
		}
	}
}

func (p *process) keep(line string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if len(p.lines) == keptLines {
		p.lines = append(p.lines[:0], p.lines[1:]...)
	}
	p.lines = append(p.lines, line)
	if found := listening.FindStringSubmatch(line); found != nil && p.ports[found[1]] == "" {
		p.ports[found[1]] = found[2]
	}
}

func (p *process) address(label, prefix string) string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.ports[label] == "" {
		return ""
	}
	return prefix + p.ports[label]
}

func (p *process) url() string { return p.address("HTTP", "http://127.0.0.1:") }

func (p *process) log() string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if len(p.lines) == 0 {
		return ""
	}
	return strings.Join(p.lines, "\n") + "\n"
}

func (p *process) waitUntilReady(timeout time.Duration) error {
	deadline := time.After(timeout)
	client := &http.Client{Timeout: time.Second, Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for !p.isReady(client) {
		select {
		case <-p.exited:
			p.untilRead()
			return p.failure(fmt.Sprintf("svc ended with exit code %d before it was ready", p.child.ProcessState.ExitCode()))
		case <-deadline:
			return p.failure(fmt.Sprintf("svc was not ready within %v", timeout))
		case <-time.After(pollTime):
		}
	}
	return nil
}

func (p *process) isReady(client *http.Client) bool {
	base := p.url()
	if base == "" {
		return false
	}
	response, err := client.Get(base + "/_svc/ready")
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// untilRead waits for the rest of the output; processes that the child has started may keep it open.
func (p *process) untilRead() {
	select {
	case <-p.read:
	case <-time.After(time.Second):
	}
}

func (p *process) failure(message string) error {
	lines := strings.Split(strings.TrimSuffix(p.log(), "\n"), "\n")
	if len(lines) > shownLines {
		lines = lines[len(lines)-shownLines:]
	}
	output := strings.Join(lines, "\n")
	if output == "" {
		output = "(no output)"
	}
	return startError(message, nil, output)
}

func startError(message string, cause error, output string) *Error {
	failure := &Error{Code: "start_failed", Details: message, Body: output, Cause: cause, message: message}
	if cause != nil {
		failure.message += ": " + cause.Error()
	} else if output != "" {
		failure.message += ":\n" + output
	}
	return failure
}

func (p *process) stop() {
	p.stopOnce.Do(func() {
		_ = p.input.Close()
		terminate(p.child)
		select {
		case <-p.exited:
		case <-time.After(stopTime):
			kill(p.child)
			<-p.exited
		}
		p.untilRead()
		os.RemoveAll(p.folder)
	})
}
