package ddb

import (
	"context"
	"net"
	"os/exec"
	"strings"
	"testing"
)

// tool runs one of Redis's own tools against an address, and skips the test if it is not installed.
func tool(t *testing.T, name, addr, input string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("skipped: there is no %s on PATH (Debian's package redis-tools)", name)
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 4*patienceOfTests)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, append([]string{"-h", host, "-p", port}, args...)...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

func TestRedisCLI(t *testing.T) {
	_, addr := serve(t, Config{})
	for _, test := range []struct{ args, want string }{
		{"SET greeting hello", "OK\n"},
		{"GET greeting", "\"hello\"\n"},
		{"GET nothing", "(nil)\n"},
		{"INCR n", "(integer) 1\n"},
		{"MGET greeting nothing", "1) \"hello\"\n2) (nil)\n"},
		{"GET", "(error) ERR wrong number of arguments for 'get' command\n\n"},
		{"DBSIZE", "(integer) 2\n"},
		{"CONFIG GET save", "1) \"save\"\n2) \"\"\n"},
	} {
		args := append([]string{"--no-raw"}, strings.Fields(test.args)...)
		if got := tool(t, "redis-cli", addr, "", args...); strings.TrimSpace(got) != strings.TrimSpace(test.want) {
			t.Errorf("%s: %q, want %q", test.args, got, test.want)
		}
	}
	if got := tool(t, "redis-cli", addr, "", "--scan", "--pattern", "greet*"); got != "greeting\n" {
		t.Errorf("--scan: %q", got)
	}
	if got := tool(t, "redis-cli", addr, "PING\nGET greeting\nNOSUCH\nHELP GET\nQUIT\n"); !strings.HasPrefix(got,
		"PONG\nhello\nERR unknown command 'NOSUCH'") {
		t.Errorf("a script: %q", got)
	}
	mass := strings.Repeat(request("INCR", "mass"), 20_000)
	if got := tool(t, "redis-cli", addr, mass, "--pipe"); !strings.Contains(got, "errors: 0, replies: 20000") {
		t.Errorf("--pipe: %q", got)
	}
	if got := tool(t, "redis-cli", addr, "", "INFO"); !strings.Contains(got, "# Keyspace\r\ndb0:keys=3,expires=0,") {
		t.Errorf("INFO: %q", got)
	}
}

func TestRedisBenchmark(t *testing.T) {
	s, addr := serve(t, Config{})
	const requests = 20_000
	out := tool(t, "redis-benchmark", addr, "", "-t", "ping,set,get,incr,mset", "-c", "20", "-P", "16", "-n", "20000",
		"-r", "1000", "--csv")
	for _, name := range []string{"PING_INLINE", "PING_MBULK", "SET", "GET", "INCR", "MSET (10 keys)"} {
		if !strings.Contains(out, "\""+name+"\"") {
			t.Errorf("no %s in %s", name, out)
		}
	}
	if strings.Contains(out, "ERR") || strings.Contains(out, "WARNING") {
		t.Errorf("%s", out)
	}
	if done := s.stats.commands.Load(); done < 6*requests {
		t.Errorf("%d commands were counted, want %d", done, 6*requests)
	}
}

// TestRedisBenchmarkInLittleMemory: with too little memory keys are evicted, and no client notices.
func TestRedisBenchmarkInLittleMemory(t *testing.T) {
	everywhere(t, func(t *testing.T, values Values) {
		s, addr := serve(t, Config{Values: values, MaxMemory: 1 << 20, MaxMemoryPolicy: AllKeysLRU})
		out := tool(t, "redis-benchmark", addr, "", "-t", "set,get,incr,mset", "-c", "10", "-P", "16", "-n", "20000", "-r", "100000", "-d", "100", "--csv")
		if strings.Contains(out, "OOM") || strings.Contains(out, "ERR") || strings.Contains(out, "WARNING") {
			t.Errorf("%s", out)
		}
		c := dial(t, addr)
		if evicted := parseInfo(t, c, "stats")["evicted_keys"]; evicted == "0" {
			t.Error("nothing was evicted")
		}
		checkBudget(t, s, c)
	})
}
