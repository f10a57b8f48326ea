package ddb

import (
	"strconv"
	"strings"
	"testing"
	"time"
)

// parseInfo reads INFO as clients do.
func parseInfo(t *testing.T, c *client, args ...string) map[string]string {
	t.Helper()
	reply := c.do(append([]string{"info"}, args...)...)
	header, text, _ := strings.Cut(reply, "\r\n")
	if size, err := strconv.Atoi(header[1:]); err != nil || size != len(text)-2 {
		t.Fatalf("INFO is %d bytes long and says %q", len(text)-2, header)
	}
	fields := map[string]string{}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\r\n"), "\r\n") {
		switch name, value, ok := strings.Cut(line, ":"); {
		case strings.HasPrefix(line, "# "):
			fields[line] = ""
		case ok:
			fields[name] = value
		case line != "":
			t.Errorf("INFO has the line %q", line)
		}
	}
	return fields
}

func TestInfo(t *testing.T) {
	_, addr := serve(t, Config{Shards: 3, Processors: 2})
	c, other := dial(t, addr), dial(t, addr)
	other.expect("+OK\r\n", "mset", "a", "1", "b", "2", "c", "3")
	other.expect("+OK\r\n", "set", "d", "4", "ex", "1000")
	other.expect(bulk("1"), "get", "a")
	other.expect("$-1\r\n", "get", "none")
	other.do("nosuch")
	fields := parseInfo(t, c)
	for name, want := range map[string]string{
		"redis_version": redisVersion, "connected_clients": "2", "db0": "keys=4,expires=1,avg_ttl=0",
		"total_commands_processed": "5", "keyspace_hits": "1", "keyspace_misses": "1", "rejected_commands": "1",
		"total_connections_received": "2", "shards": "3", "processors": "2", "role": "master",
		"tcp_port": addr[strings.LastIndex(addr, ":")+1:],
	} {
		if fields[name] != want {
			t.Errorf("%s is %q, want %q", name, fields[name], want)
		}
	}
	for _, name := range []string{
		"# Server", "# Clients", "# Memory", "# Stats", "# Freerun", "# Keyspace", "uptime_in_seconds", "used_memory",
		"processor0", "processor1", "messages_sent",
	} {
		if _, ok := fields[name]; !ok {
			t.Errorf("%s is missing", name)
		}
	}
	if fields = parseInfo(t, c, "keyspace", "CLIENTS"); len(fields) != 8 || fields["connected_clients"] != "2" {
		t.Errorf("two sections are %v", fields)
	}
	if fields = parseInfo(t, c, "nosuch"); len(fields) != 0 {
		t.Errorf("no section is %v", fields)
	}
	c.expect("+OK\r\n", "config", "resetstat")
	if fields = parseInfo(t, c, "stats"); fields["keyspace_hits"] != "0" || fields["total_commands_processed"] != "1" {
		t.Errorf("after CONFIG RESETSTAT: %v", fields)
	}
}

func TestClientList(t *testing.T) {
	_, addr := serve(t, Config{})
	c, other := dial(t, addr), dial(t, addr)
	other.expect("+OK\r\n", "client", "setname", "somebody")
	list := c.do("client", "list")
	if strings.Count(list, "\n") != 4 || !strings.Contains(list, "name=somebody ") ||
		!strings.Contains(list, "addr="+c.conn.LocalAddr().String()+" ") || !strings.Contains(list, "cmd=client|setname") {
		t.Errorf("%q", list)
	}
	id := strings.Trim(other.do("client", "id"), ":\r\n")
	if list = c.do("client", "list", "id", id); !strings.Contains(list, "\r\nid="+id+" ") || strings.Count(list, "id=") != 1 {
		t.Errorf("%q", list)
	}
	if own := other.do("client", "info"); !strings.Contains(own, "\r\nid="+id+" ") {
		t.Errorf("%q", own)
	}
	other.expect("+RESET\r\n", "reset")
	other.expect("$-1\r\n", "client", "getname")
}

func TestHello(t *testing.T) {
	_, addr := serve(t, Config{})
	c := dial(t, addr)
	c.expect("-NOPROTO unsupported protocol version\r\n", "hello", "3")
	c.expect("-NOPROTO unsupported protocol version\r\n", "hello", "3", "auth", "default", "x", "setname", "n")
	c.expect("$-1\r\n", "client", "getname")
	reply := c.do("hello", "2", "auth", "default", "x", "setname", "n")
	if !strings.HasPrefix(reply, "*14\r\n$6\r\nserver\r\n$5\r\nredis\r\n") || !strings.Contains(reply, "$5\r\nproto\r\n:2\r\n") {
		t.Errorf("%q", reply)
	}
	c.expect(bulk("n"), "client", "getname")
	if c.do("hello") != reply {
		t.Error("HELLO without a version differs")
	}
}

func TestQuit(t *testing.T) {
	_, addr := serve(t, Config{})
	c := dial(t, addr)
	c.send(request("set", "k", "v") + request("quit") + request("del", "k"))
	if got := c.reply() + c.reply(); got != "+OK\r\n+OK\r\n" {
		t.Errorf("%q", got)
	}
	c.expectEndOrReset()
	dial(t, addr).expect(bulk("v"), "get", "k")
}

// TestSweeper: a key that no command reads again is removed when it is due; other keys stay.
func TestSweeper(t *testing.T) {
	clock := newTestClock()
	s, addr := serve(t, Config{Shards: 3, Clock: clock.now})
	c := dial(t, addr)
	const n = 5000
	c.expect("+OK\r\n", "set", "staying", "v")
	for i := range n {
		c.expect("+OK\r\n", "set", "key"+strconv.Itoa(i), "v", "px", "1000")
	}
	c.expect("+OK\r\n", "set", "later", "v", "px", "100000")
	clock.advance(999 * time.Millisecond)
	s.sweepDue()
	c.expect(":"+strconv.Itoa(n+2)+"\r\n", "dbsize")
	c.expect(":1\r\n", "pttl", "key0")
	clock.advance(2 * time.Millisecond)
	c.expect("$-1\r\n", "get", "key0")
	for { // the sweeper's own ticker does it
		if fields := countWithoutSweeping(s); fields == 2 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	c.expect("*2\r\n$1\r\n0\r\n*0\r\n", "scan", "2", "match", "key1*")
	c.expect(":2\r\n", "dbsize")
	if got := parseInfo(t, c)["expired_keys"]; got != strconv.Itoa(n) {
		t.Errorf("%s keys expired, want %d", got, n)
	}
}
