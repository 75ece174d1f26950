//go:build !unix

package svctest

import "os/exec"

func ownGroup(*exec.Cmd) {}

// terminate does nothing: where there are no signals, the end of standard input stops svc.
func terminate(*exec.Cmd) {}

func kill(child *exec.Cmd) { _ = child.Process.Kill() }
