//go:build !wasm

package embedded_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/internal/child"
	"github.com/freerun-go/freerun/cluster/nats/embedded"
	"github.com/freerun-go/freerun/cluster/nats/internal/freeport"
)

// place is where one of several servers is.
type place struct {
	Dir, At string
	All     []string
}

const placeVariable = "FREERUN_PLACE"

func init() { child.Role("member", runMember) }

// runMember is a node with one of several servers. It adds to a counter for each line of its input,
// says what that has then, and leaves when the input ends.
func runMember() {
	slog.SetLogLoggerLevel(slog.LevelError)
	var p place
	if err := json.Unmarshal([]byte(os.Getenv(placeVariable)), &p); err != nil {
		panic(err)
	}
	n, err := join(embedded.Server("member", p.Dir, embedded.Create(), embedded.Partitions(4), embedded.Routes(p.At, "secret", p.All...)))
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	fmt.Println("ready")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		c := cluster.Once(n.rt.Context(), in.Text())
		for {
			sum, err := add.Send(c, counters.At(c, "x"), 1).Wait(context.Background())
			if errors.Is(err, cluster.ErrUncertain) || errors.Is(err, cluster.ErrNotRun) {
				continue
			}
			fmt.Println(sum, err)
			break
		}
	}
	_ = errors.Join(n.node.Close(), n.rt.Shutdown(context.Background()))
}

// member is such a process.
type member struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func startMember(t *testing.T, p place) *member {
	t.Helper()
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	m := &member{cmd: child.Command(context.Background(), "member", placeVariable+"="+string(text))}
	if m.in, err = m.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := m.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	m.out = bufio.NewScanner(out)
	if err := m.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.kill)
	return m
}

// says holds what a process says next.
func (m *member) says(t *testing.T, want string) {
	t.Helper()
	late := time.AfterFunc(2*time.Minute, m.kill)
	defer late.Stop()
	if !m.out.Scan() || m.out.Text() != want {
		t.Fatalf("a process says %q; want %q", m.out.Text(), want)
	}
}

// adds has a process add 1.
func (m *member) adds(t *testing.T, id string, want int) {
	t.Helper()
	if _, err := fmt.Fprintln(m.in, id); err != nil {
		t.Fatal(err)
	}
	m.says(t, fmt.Sprint(want, " <nil>"))
}

func (m *member) kill() { _ = m.cmd.Process.Kill() }

// TestKilled kills one of three processes that have a server each, whichever that is: the others go
// on with what all have done, and so does the one that takes its place.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("the servers elect leaders for half a minute")
	}
	t.Parallel()
	ports := freeport.Take(t, 3)
	var places []place
	for _, port := range ports {
		places = append(places, place{Dir: t.TempDir(), At: fmt.Sprint("127.0.0.1:", port)})
	}
	for i := range places {
		for _, p := range places {
			places[i].All = append(places[i].All, p.At)
		}
	}
	var members []*member
	for _, p := range places {
		members = append(members, startMember(t, p))
	}
	sum := 0
	add := func(m *member) {
		t.Helper()
		sum++
		m.adds(t, fmt.Sprint(sum), sum)
	}
	for _, m := range members {
		m.says(t, "ready")
	}
	for i := range members {
		for _, m := range members {
			add(m)
		}
		members[i].kill()
		_ = members[i].cmd.Wait() // it was killed
		for j, m := range members {
			if j != i {
				add(m)
			}
		}
		members[i] = startMember(t, places[i])
		members[i].says(t, "ready")
		add(members[i])
	}
	for _, m := range members {
		m.in.Close()
		if err := m.cmd.Wait(); err != nil {
			t.Errorf("a process has ended: %v", err)
		}
	}
}
