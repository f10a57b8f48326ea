//go:build !wasip1

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/freerun-go/freerun/cmd/freerun/internal/browsertest"
	"github.com/freerun-go/freerun/ddb"
)

// servePage starts a server with its page at an address, and returns the server, its address and
// the page's. The test ends the server.
func servePage(t *testing.T, at string, flags ...string) (c *exec.Cmd, addr, url string) {
	t.Helper()
	c = exec.Command(binary, append([]string{"serve", "--addr", "127.0.0.1:0", "--http", at}, flags...)...)
	var errs bytes.Buffer
	c.Stderr = &errs
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if c.ProcessState == nil {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
	})
	said := bufio.NewReader(stdout)
	first, _ := said.ReadString('\n')
	second, err := said.ReadString('\n')
	addr, listens := strings.CutPrefix(strings.TrimSpace(first), "freerun: listening on ")
	url, shows := strings.CutPrefix(strings.TrimSpace(second), "freerun: live page at ")
	if err != nil || !listens || !shows {
		t.Fatalf("it says %q and %q (%v), want where it listens, and where the page is; standard error: %v", first, second, err, &errs)
	}
	return c, addr, url
}

// end ends a server and checks that its status is 0.
func end(t *testing.T, c *exec.Cmd) {
	t.Helper()
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("the server ends with %v", err)
	}
}

// load lets clients send requests to a server until stop is called.
func load(t *testing.T, addr string, clients int) (stop func()) {
	t.Helper()
	var sending sync.WaitGroup
	var conns []net.Conn
	for i := range clients {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, conn)
		batch, replies := requests(i)
		sending.Go(func() {
			in := bufio.NewReader(conn)
			for {
				if _, err := io.WriteString(conn, batch); err != nil {
					return // stopped
				}
				for range replies {
					if _, err := in.ReadString('\n'); err != nil {
						return
					}
				}
			}
		})
	}
	stop = sync.OnceFunc(func() {
		for _, conn := range conns {
			conn.Close()
		}
		sending.Wait()
	})
	t.Cleanup(stop)
	return stop
}

// requests returns a client's batch of requests, and the number of lines in the replies.
func requests(client int) (batch string, replies int) {
	for i := range 40 {
		batch += fmt.Sprintf("SET key:%d:%d value\r\nINCR counter:%d\r\nEXISTS key:%d:%d\r\n", client, i, i, client, i)
		replies += 3
	}
	return batch + fmt.Sprintf("MSET a%[1]d 1 b%[1]d 2 c%[1]d 3 d%[1]d 4\r\n", client), replies + 1
}

// framesSeen requests frames of the page until that many different ones have arrived.
func framesSeen(t *testing.T, url string, n int) {
	t.Helper()
	seen := map[float64]bool{}
	for ; len(seen) < n; time.Sleep(20 * time.Millisecond) {
		answer, err := http.Get(url + "live.json")
		if err != nil {
			t.Fatal(err)
		}
		var frame struct {
			Now float64 `json:"now"`
		}
		err = json.NewDecoder(answer.Body).Decode(&frame)
		answer.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		seen[frame.Now] = true
	}
	http.DefaultClient.CloseIdleConnections()
}

// TestServePage has a browser follow a server: under load, paused, in a narrow window, and across a
// restart.
func TestServePage(t *testing.T) {
	c, addr, url := servePage(t, "127.0.0.1:0", "--processors", "2", "--shards", "6")
	page := browsertest.Open(t, url)
	page.Until(`document.querySelector("#state").dataset.state == "live"`)
	if got := browsertest.Eval[string](page, `document.querySelector("#operations tbody").innerText`); !strings.Contains(got, "no operation") {
		t.Errorf("of an idle server it shows the operations %q", got)
	}
	stop := load(t, addr, 4)
	const rate = `document.querySelector("#figure-done .number").textContent`
	page.Until(rate + ` != "0" && ` + rate + ` != "–"`)
	page.Until(`document.querySelector("#operations tbody").innerText.includes("ddb.execute")`)
	page.Until(`document.querySelectorAll("#units tbody tr:not(.empty)").length == 6`)
	if n := browsertest.Eval[int](page, `document.querySelectorAll("#processors tbody tr").length`); n != 2 {
		t.Errorf("%d processors are shown, want 2", n)
	}
	facts := browsertest.Eval[string](page, `document.querySelector("#facts").textContent`)
	if want := fmt.Sprintf("pid %d ", c.Process.Pid); !strings.Contains(facts, want) || !strings.Contains(facts, "2 processors") {
		t.Errorf("it shows %q, want %q and 2 processors in it", facts, want)
	}
	// The page follows the server.
	page.Until(fmt.Sprintf(`document.querySelector("#facts").textContent != %q`, facts))

	page.Press("p")
	page.Until(`document.querySelector("#state").dataset.state == "paused"`)
	before := browsertest.Eval[string](page, `document.body.innerText`)
	framesSeen(t, url, 3) // the server goes on meanwhile
	if after := browsertest.Eval[string](page, `document.body.innerText`); after != before {
		t.Errorf("while it is paused the page changes from\n%s\nto\n%s", before, after)
	}
	page.Press("p")
	page.Until(fmt.Sprintf(`document.querySelector("#state").dataset.state == "live" && document.body.innerText != %q`, before))

	if os.Getenv("FREERUN_SCREENSHOTS") != "" { // with some history
		framesSeen(t, url, 75)
	}
	page.Screenshot("live")
	for _, scheme := range []string{"light", "dark"} {
		browsertest.Eval[bool](page, `document.querySelector("#theme").click(), true`)
		page.Until(fmt.Sprintf(`getComputedStyle(document.documentElement).colorScheme == %q`, scheme))
	}
	page.Screenshot("live-dark")
	page.Resize(400, 900)
	page.FitsItsWidth()
	page.Screenshot("live-narrow")

	page.Excuse("net::ERR_") // a server's absence
	stop()
	end(t, c)
	page.Until(`document.querySelector("#state").dataset.state == "lost"`)
	if got := browsertest.Eval[string](page, `document.querySelector("#banner").innerText`); !strings.Contains(got, "has ended") {
		t.Errorf("after the end the page says %q", got)
	}
	page.FitsItsWidth()
	next, _, again := servePage(t, strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/"))
	if again != url {
		t.Errorf("the next server's page is at %s, want %s", again, url)
	}
	page.Until(`document.querySelector("#state").textContent.includes("new start")`)
	end(t, next)
	page.Until(`document.querySelector("#state").dataset.state == "lost"`)
}

// TestServePageWhere: whatever the address is, only this machine sees the page and the profiles,
// unless --public is set.
func TestServePageWhere(t *testing.T) {
	for _, test := range []struct {
		flags  []string
		prefix string
		named  int    // the status of a request by a name that is not this machine's own
		says   string // on standard error
	}{
		{[]string{":0"}, "http://127.0.0.1:", http.StatusForbidden, ""},
		{[]string{":0", "--public"}, "http://localhost:", http.StatusOK, ""},
		{[]string{"127.0.0.1:0", "--public"}, "http://127.0.0.1:", http.StatusOK, ""},
		{[]string{"0.0.0.0:0"}, "http://localhost:", http.StatusForbidden, "--public shows it"},
		{[]string{"[::]:0"}, "http://localhost:", http.StatusForbidden, "--public shows it"},
	} {
		c, _, url := servePage(t, test.flags[0], test.flags[1:]...)
		if !strings.HasPrefix(url, test.prefix) {
			t.Errorf("with %v the page is at %s, want %s…", test.flags, url, test.prefix)
		}
		for host, want := range map[string]int{"": http.StatusOK, "server.example": test.named} {
			for _, path := range []string{"live.json", "metrics", "debug/pprof/goroutine?debug=1", "debug/pprof/cmdline"} {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+path, nil)
				if err != nil {
					t.Fatal(err)
				}
				request.Host = host
				answer, err := http.DefaultClient.Do(request)
				if err != nil {
					t.Fatal(err)
				}
				answer.Body.Close()
				if answer.StatusCode != want {
					t.Errorf("with %v a request to %q for %s gets %d, want %d", test.flags, host, path, answer.StatusCode, want)
				}
			}
		}
		http.DefaultClient.CloseIdleConnections()
		end(t, c)
		if said := fmt.Sprint(c.Stderr); !strings.Contains(said, test.says) || test.says == "" && strings.Contains(said, "--public") {
			t.Errorf("with %v standard error is %q", test.flags, said)
		}
	}
}

// TestServeMetrics: /metrics has the figures of the database, with names in Prometheus's style.
func TestServeMetrics(t *testing.T) {
	c, addr, url := servePage(t, "127.0.0.1:0", "--maxmemory-clients", "100mb")
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, command := range []string{"SET a 1", "SET b 1 EX 1000", "GET none", "SET due 1 PX 1"} {
		ask(t, conn, command)
	}
	var text string
	for end := time.Now().Add(30 * time.Second); !strings.Contains(text, "\nfreerun_ddb_expired_keys_total 1\n"); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no key expires in\n%s", text)
		}
		answer, err := http.Get(url + "metrics")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		text = string(body)
	}
	http.DefaultClient.CloseIdleConnections()
	for _, line := range []string{
		"freerun_ddb_keys 2", "freerun_ddb_expiring_keys 1", "freerun_ddb_keyspace_misses_total 1", "freerun_ddb_keyspace_hits_total 0", "freerun_ddb_evicted_keys_total 0",
		"freerun_ddb_clients 1", "freerun_ddb_client_memory_limit_bytes 1.048576e+08", "freerun_ddb_commands_total 4", "# TYPE freerun_ddb_client_memory_bytes gauge",
		"freerun_ddb_rejected_connections_total 0",
	} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("/metrics lacks %q", line)
		}
	}
	server, err := ddb.New(ddb.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	if problems, err := testutil.CollectAndLint(databaseMetrics{server}); err != nil || len(problems) > 0 {
		t.Errorf("%v: %v", problems, err)
	}
	end(t, c)
}

func TestServePageAddressInUse(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	out, errs, status := freerun(t, "serve", "--addr", "127.0.0.1:0", "--http", listener.Addr().String())
	if status != 1 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "--http: ") || !strings.Contains(errs, "address already in use") {
		t.Errorf("exit status %d, wrote %q and %q; want 1 and one line that says why", status, out, errs)
	}
}
