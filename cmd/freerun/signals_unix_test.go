//go:build unix

package main

import (
	"bufio"
	"syscall"
	"testing"
)

// TestSignals: the go command gets the signals, and its end decides about the exit status.
func TestSignals(t *testing.T) {
	dir := newModule(t, map[string]string{"main.go": `package main

import (
	"fmt"
	"os"
	"os/signal"

	"github.com/freerun-go/freerun/activity"
)

func main() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	fmt.Println("ready")
	wait(nil, c)
}

func wait(a *activity.Activity, c chan os.Signal) {
	for range c {
		fmt.Println("interrupted")
		os.Exit(7)
	}
}
`})
	g := command(dir, binary, "run", ".")
	g.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := g.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Start(); err != nil {
		t.Fatal(err)
	}
	watchdog(t, g)
	lines := bufio.NewScanner(out)
	lines.Scan()
	// As from a terminal, the signal goes to the whole group.
	if err := syscall.Kill(-g.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	lines.Scan()
	if lines.Text() != "interrupted" {
		t.Errorf("the program says %q", lines.Text())
	}
	if _ = g.Wait(); g.ProcessState.ExitCode() != 1 { // the exit status of go run
		t.Errorf("%v, want the exit status of go run", g.ProcessState)
	}
}
