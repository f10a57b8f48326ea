package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/freerun-go/freerun/bench/commandline/commandtest"

	"golang.org/x/sys/unix"
)

// openTerminal returns both ends of a pseudo-terminal. The text that is written to one can be read
// from the other.
func openTerminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("this machine has no pseudo-terminals: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { slave.Close() })
	return master, slave
}

// TestProgressBarOnATerminal is the other half of [TestOneSummaryWithoutProgressBar].
func TestProgressBarOnATerminal(t *testing.T) {
	master, slave := openTerminal(t)
	c := exec.Command(binary, append([]string{"bench", "--json"}, tiny...)...)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, slave
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close() // so that the master reads to its end when the command has ended
	shown, _ := io.ReadAll(master)
	if err := c.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"fib/serial", "pingpong/units", "%"} {
		if !strings.Contains(string(shown), word) {
			t.Errorf("the terminal does not show %q: %q", word, shown)
		}
	}
	if len(commandtest.Decode(t, out.String())) == 0 {
		t.Error("no JSON on standard output")
	}
}

// TestBenchEndsAtASecondInterrupt interrupts a measurement that takes minutes. Only a terminal
// shows that the measurement is under way, hence the place of this test.
func TestBenchEndsAtASecondInterrupt(t *testing.T) {
	master, slave := openTerminal(t)
	c := exec.Command(binary, "bench", "pingpong", "--variants", "channels", "--size", "2_000_000_000", "--runs", "1")
	c.Stderr = slave
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	watchdog(t, c)
	var shown strings.Builder
	for _, word := range []string{"pingpong/channels", "interrupt again to end at once"} {
		for some := make([]byte, 4096); !strings.Contains(shown.String(), word); {
			n, err := master.Read(some)
			if err != nil {
				t.Fatalf("the terminal does not show %q: %q; the command ended with %v", word, shown.String(), c.Wait())
			}
			shown.Write(some[:n])
		}
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	_ = c.Wait()
	if how := c.ProcessState.String(); how != "signal: interrupt" {
		t.Errorf("the bench ended with %q, want the second interrupt to end it", how)
	}
}

// TestSummaryInANarrowTerminal: the summary is as wide as the terminal.
func TestSummaryInANarrowTerminal(t *testing.T) {
	master, slave := openTerminal(t)
	if err := unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 70}); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(binary, append([]string{"bench"}, tiny...)...)
	c.Stdout = slave
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	shown, _ := io.ReadAll(master)
	if err := c.Wait(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(shown), "a message between two units") {
		t.Errorf("the terminal shows %q", shown)
	}
	for line := range strings.Lines(string(shown)) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\r\n")); n > 70 {
			t.Errorf("%d letters in a terminal of 70 columns: %q", n, line)
		}
	}
}
