package ddb

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

func clientID(c *connection, _ [][]byte, w *writer) { w.integer(int64(c.id)) }

func clientGetName(c *connection, _ [][]byte, w *writer) {
	if name := c.clientName(); name == "" {
		w.null()
	} else {
		w.text(name)
	}
}

func clientSetName(c *connection, args [][]byte, w *writer) {
	name := string(args[2])
	if !validName(name) {
		w.fail(errClientName)
		return
	}
	c.setClientName(name)
	w.ok()
}

// clientSetInfo accepts what newer client libraries tell about themselves.
func clientSetInfo(_ *connection, args [][]byte, w *writer) {
	switch {
	case !equalFold(args[2], "LIB-NAME") && !equalFold(args[2], "LIB-VER"):
		w.fail("ERR Unrecognized option '" + string(clip(args[2], len(args[2]))) + "'")
	case !validName(string(args[3])):
		w.fail("ERR " + strings.ToLower(string(args[2])) + " cannot contain spaces, newlines or special characters.")
	default:
		w.ok()
	}
}

func clientInfo(c *connection, _ [][]byte, w *writer) { w.text(c.describe() + "\n") }

// clientList answers with all clients, or with those that TYPE or ID selects.
func clientList(c *connection, args [][]byte, w *writer) {
	chosen := func(*connection) bool { return true }
	switch {
	case len(args) == 2:
	case len(args) == 4 && equalFold(args[2], "TYPE"):
		kind := strings.ToLower(string(args[3]))
		if !slices.Contains([]string{"normal", "master", "replica", "slave", "pubsub"}, kind) {
			w.fail("ERR Unknown client type '" + string(clip(args[3], len(args[3]))) + "'")
			return
		}
		chosen = func(*connection) bool { return kind == "normal" }
	case len(args) > 3 && equalFold(args[2], "ID"):
		ids := map[int64]bool{}
		for _, arg := range args[3:] {
			id, ok := parseInteger(arg)
			if !ok {
				w.fail("ERR Invalid client ID")
				return
			}
			ids[id] = true
		}
		chosen = func(other *connection) bool { return ids[int64(other.id)] }
	default:
		w.fail(errSyntax)
		return
	}
	var text strings.Builder
	for _, other := range c.server.allConnections() {
		if chosen(other) {
			text.WriteString(other.describe())
			text.WriteByte('\n')
		}
	}
	w.text(text.String())
}

// allConnections returns the connections, the oldest first.
func (s *Server) allConnections() []*connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*connection, 0, len(s.connections))
	for _, c := range s.connections {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *connection) int { return int(int64(a.id) - int64(b.id)) })
	return all
}

// describe returns a line of CLIENT LIST. Any goroutine may call it. The memory figures are as of
// the end of the client's last batch, except omem, which is exact.
func (c *connection) describe() string {
	name := "NULL"
	if last := c.last.Load(); last != nil {
		name = last.name
	}
	now, flags, multi := time.Now(), "N", c.multi.Load()
	if multi >= 0 {
		flags = "x"
	}
	m := &c.memory
	return fmt.Sprintf("id=%d addr=%s laddr=%s name=%s age=%d idle=%d flags=%s db=0 sub=0 psub=0 ssub=0 multi=%d"+
		" qbuf=%d argv-mem=%d multi-mem=%d rbs=%d omem=%d tot-mem=%d cmd=%s user=default redir=-1 resp=2",
		c.id, c.net.RemoteAddr(), c.net.LocalAddr(), c.clientName(), int64(now.Sub(c.since).Seconds()),
		max(0, now.Unix()-c.active.Load()), flags, multi,
		m.input.Load(), m.arguments.Load(), m.queued.Load(), m.output.Load(), c.out.backlogged(), m.total.Load(), name)
}
