package jet

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun/cluster/internal/child"
)

// settings are those of a process, in the variable of its environment.
const settings = "FREERUN_SETTINGS"

func init() {
	child.Role("server", func() { endsWith(runServer()) })
	child.Role("node", func() { endsWith(runNode()) })
}

func endsWith(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// runServer runs a server until its parent ends.
func runServer() error {
	var p place
	if err := json.Unmarshal([]byte(os.Getenv(settings)), &p); err != nil {
		return err
	}
	if _, err := p.run(); err != nil {
		return err
	}
	if err := json.NewEncoder(os.Stdout).Encode(heard{State: "ready"}); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

// nodeSettings say what a machine in a process of its own is.
type nodeSettings struct {
	Name, URL string
	Unfenced  bool
	Silent    bool // it sends nothing
}

// runNode runs a machine that sends, until its parent ends, or it is told to leave: a line of its
// input has the state that it is to come to. It says all that it hears.
func runNode() error {
	var s nodeSettings
	if err := json.Unmarshal([]byte(os.Getenv(settings)), &s); err != nil {
		return err
	}
	var mu sync.Mutex
	out := json.NewEncoder(os.Stdout)
	say := func(h heard) {
		mu.Lock()
		defer mu.Unlock()
		if err := out.Encode(h); err != nil {
			os.Exit(1) // the parent has ended
		}
	}
	nc, err := Connect(s.URL, nats.IgnoreDiscoveredServers()) // else it would go round its proxy
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	e, err := Open(ctx, nc, Options{Program: "chaos", Partitions: parts})
	if err != nil {
		return err
	}
	p, err := join(nc, e, s.Name, s.Unfenced)
	if err != nil {
		return err
	}
	window := 64
	if s.Silent {
		window = 0
	}
	go func() {
		for e.losses.err() == nil {
			time.Sleep(20 * time.Millisecond)
		}
		say(heard{State: "lost"})
	}()
	l := startLoad(p, 4*time.Millisecond, window, say)
	say(heard{State: "ready"})
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		switch in.Text() {
		case "quiet":
			l.end()
		case "left":
			p.leave()
		}
		say(heard{State: in.Text()})
	}
	return nil
}

// apart is a process that a test has started.
type apart struct {
	t      testing.TB
	cmd    *exec.Cmd
	in     io.WriteCloser
	states chan string // what it has come to
	ended  chan struct{}
	once   sync.Once
}

// startApart starts a process of a role. hear is called with what it says.
func startApart(t testing.TB, role string, what any, hear func(heard)) *apart {
	t.Helper()
	text, err := json.Marshal(what)
	if err != nil {
		t.Fatal(err)
	}
	a := &apart{t: t, states: make(chan string, 10), ended: make(chan struct{})}
	a.cmd = child.Command(context.Background(), role, settings+"="+string(text))
	// One that is stopped does not see that its input ends.
	a.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := a.cmd.StdoutPipe()
	if err == nil {
		a.in, err = a.cmd.StdinPipe()
	}
	if err == nil {
		err = a.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.kill)
	go func() {
		defer close(a.ended)
		for in := json.NewDecoder(out); ; {
			var h heard
			if in.Decode(&h) != nil { // what the end has cut was not said
				break
			}
			if h.State != "" {
				a.states <- h.State
			} else {
				hear(h)
			}
		}
		_ = a.cmd.Wait()
	}()
	return a
}

// kill ends the process in the middle, and waits for its end.
func (a *apart) kill() {
	a.once.Do(func() {
		_ = a.cmd.Process.Kill()
		<-a.ended
		_ = a.in.Close()
	})
}

// signal signals the process.
func (a *apart) signal(s syscall.Signal) {
	if err := a.cmd.Process.Signal(s); err != nil {
		a.t.Error(err)
	}
}

// tell tells the process to come to a state.
func (a *apart) tell(state string) {
	if _, err := fmt.Fprintln(a.in, state); err != nil {
		a.t.Errorf("a process is not there to be %s: %v", state, err)
	}
}

// waitFor waits until it has come to a state; not for longer than most.
func (a *apart) waitFor(state string, most time.Duration) error {
	end := time.After(most)
	for {
		select {
		case now := <-a.states:
			if now == state {
				return nil
			}
		case <-a.ended:
			return fmt.Errorf("a process has ended before it was %s", state)
		case <-end:
			return fmt.Errorf("a process is not %s after %v", state, most)
		}
	}
}

// isReady waits until it is.
func (a *apart) isReady() {
	a.t.Helper()
	if err := a.waitFor("ready", time.Minute); err != nil {
		a.t.Fatal(err)
	}
}

// runApart runs a server in a process of its own.
func runApart(t testing.TB, p place) *apart {
	t.Helper()
	a := startApart(t, "server", p, func(heard) {})
	a.isReady()
	return a
}

// killed is runApart. The server ends in the middle.
func killed(t testing.TB, p place) (end func()) { return runApart(t, p).kill }

// TestRestartKilled is as TestRestart; the servers end in the middle.
func TestRestartKilled(t *testing.T) { restarts(t, killed, "R1", "R3, all") }
