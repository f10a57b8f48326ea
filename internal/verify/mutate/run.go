package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// An Outcome is how a test ended.
type Outcome string

// The outcomes. All but passed kill.
const (
	passed Outcome = "passed"
	failed Outcome = "failed"
	hung   Outcome = "hung"
	bloat  Outcome = "used too much memory"
)

// run runs a test binary in a folder, until it ends, has taken as long as allowed, or has as many
// megabytes as allowed. A hang is found by the binary itself, at its -test.timeout, or soon after.
func run(folder, binary string, allowed time.Duration, megabytes int, args ...string) (Outcome, time.Duration, string) {
	args = append([]string{"-test.timeout=" + allowed.String()}, args...)
	ctx, cancel := context.WithTimeout(context.Background(), allowed+5*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, binary, args...)
	c.Dir = folder
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	alone(c)
	c.WaitDelay = time.Second
	begin := time.Now()
	if err := c.Start(); err != nil {
		return failed, 0, err.Error()
	}
	large := make(chan bool, 1)
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				large <- false
				return
			case <-tick.C:
				if resident(c.Process.Pid) > megabytes {
					cancel()
					large <- true
					return
				}
			}
		}
	}()
	err := c.Wait()
	close(done)
	took := time.Since(begin)
	tooLarge := <-large
	var exit *exec.ExitError
	switch {
	case err == nil:
		return passed, took, ""
	case tooLarge:
		return bloat, took, out.String()
	case ctx.Err() != nil || strings.Contains(out.String(), "panic: test timed out after"):
		return hung, took, out.String()
	case errors.As(err, &exit):
		return failed, took, out.String()
	}
	return failed, took, fmt.Sprint(err, "\n", out.String())
}

// resident returns the megabytes of memory that a process has, 0 where the system does not say.
func resident(pid int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.Atoi(fields[1])
	return pages * os.Getpagesize() >> 20
}
