//go:build unix

package svctest

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps Ctrl+C for the tests, which stop the server, and lets kill end a wrapper such as npx with what it has started.
func ownGroup(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

func terminate(child *exec.Cmd) { _ = child.Process.Signal(syscall.SIGTERM) }

func kill(child *exec.Cmd) { _ = syscall.Kill(-child.Process.Pid, syscall.SIGKILL) }
