//go:build !wasm

package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/internal/child"
	"github.com/freerun-go/freerun/cluster/nats/embedded"
)

func TestMain(m *testing.M) {
	child.Role("bank", func() {
		p := process{servers: os.Getenv("FREERUN_SERVERS"), flight: 16, say: sayJSON(os.Stdout)}
		if err := p.run(untilEnd(context.Background(), os.Stdin)); err != nil {
			os.Exit(1)
		}
	})
	child.Main(m)
}

// TestKilled kills processes while they make transfers: no money is lost or made, each transfer
// that was acknowledged was made, and others take the place of those that were killed.
func TestKilled(t *testing.T) {
	said := make(chan string, 100)
	b := bank{
		dir: t.TempDir(), page: "127.0.0.1:0", processes: 3,
		say: func(format string, v ...any) {
			if len(v) == 1 && strings.Contains(format, "http://%s") {
				said <- "http://" + v[0].(interface{ String() string }).String()
			}
		},
		another: func(servers string) *exec.Cmd {
			return child.Command(context.Background(), "bank", "FREERUN_SERVERS="+servers)
		},
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var found audit
	var failed error
	var all sync.WaitGroup
	all.Go(func() { found, failed = b.run(ctx) })
	defer all.Wait()
	defer stop()
	var url string
	select {
	case url = <-said:
	case <-time.After(time.Minute):
		t.Fatal("the bank does not say where its page is")
	}
	killed := 0
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d of 3 processes were killed; they are %+v", killed, b.all())
		}
		running := working(ask(t, url+"/processes"))
		if len(running) < 3 { // who was killed has a successor, and all have made transfers
			continue
		}
		if killed == 3 {
			break
		}
		victim, err := os.FindProcess(running[0].Last.Process)
		if err == nil {
			err = victim.Kill()
		}
		if err != nil {
			t.Fatal(err)
		}
		killed++
		waitFor(t, func() bool { return len(working(ask(t, url+"/processes"))) < 3 })
	}
	text, err := io.ReadAll(get(t, url))
	if err != nil || !strings.Contains(string(text), "kill -9") {
		t.Errorf("the page: %v", err)
	}
	stop()
	all.Wait()
	if failed != nil {
		t.Fatal(failed)
	}
	acknowledged := 0
	for _, c := range b.all() {
		acknowledged += int(c.Last.Acknowledged)
	}
	if found.Sum != mostAccounts*atFirst || found.Paid != found.Received || found.Paid < acknowledged || acknowledged == 0 {
		t.Errorf("%v; %d were received, and %d acknowledged", found, found.Received, acknowledged)
	}
	t.Logf("%d processes were killed; %v; %d acknowledged", killed, found, acknowledged)
}

// working returns the processes that run, have made transfers, and know each other.
func working(s shown) (all []childProcess) {
	for _, c := range s.Processes {
		if !c.Ended && c.Last.Acknowledged > 20 && len(c.Last.Machines.Partitions) >= 4 {
			all = append(all, c)
		}
	}
	return all
}

func waitFor(t *testing.T, what func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !what(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it does not come to that")
		}
	}
}

func get(t *testing.T, url string) io.ReadCloser {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Body.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return r.Body
}

func ask(t *testing.T, url string) (s shown) {
	t.Helper()
	body := get(t, url)
	defer body.Close()
	if err := json.NewDecoder(body).Decode(&s); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestLookControl holds that money that is not there is missed.
func TestLookControl(t *testing.T) {
	rt := freerun.New()
	node, err := cluster.Join(rt, embedded.Server("bank", t.TempDir(), embedded.Create()))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if found, err := look(ctx, rt); err != nil || found.Paid != 0 {
		t.Errorf("%v, %v", found, err)
	}
	if _, err := deposit.Call(ctx, accounts.At(rt.Context(), 0), transfer{Amount: 5}); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	if found, err := look(short, rt); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("money that was made is not found: %v, %v", found, err)
	}
	if err := errors.Join(node.Close(), rt.Shutdown(context.Background())); err != nil {
		t.Error(err)
	}
}
