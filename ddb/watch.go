package ddb

import "slices"

// watchpoint is one key that a connection watches. It belongs to the key's shard from WATCH on until it is forgotten there.
type watchpoint struct {
	key     string
	shard   int
	touched bool // the key has changed since
}

// watch puts watchpoints up.
func (s *shard) watch(w *watchpoint) {
	s.find([]byte(w.key)) // a key that is due goes now: that is no change later
	if s.watched == nil {
		s.watched = map[string][]*watchpoint{}
	}
	s.watched[w.key] = append(s.watched[w.key], w)
}

// unwatch takes a watchpoint down.
func (s *shard) unwatch(w *watchpoint) {
	others := slices.DeleteFunc(s.watched[w.key], func(other *watchpoint) bool { return other == w })
	if len(others) == 0 {
		delete(s.watched, w.key)
	} else {
		s.watched[w.key] = others
	}
}

// touch tells those who watch the key of an entry that it changes.
func (s *shard) touch(e *entry) {
	if len(s.watched) == 0 {
		return
	}
	for _, w := range s.watched[s.records.key(e)] {
		w.touched = true
	}
}

func watch(c *connection, args [][]byte) slot {
	if c.queue.open {
		return c.say(func() { c.local.fail(errWatchInside) })
	}
	for _, arg := range args[1:] {
		key := string(arg)
		if slices.ContainsFunc(c.watches, func(w *watchpoint) bool { return w.key == key }) {
			continue
		}
		w := &watchpoint{key: key, shard: c.server.shardOf(arg)}
		c.watches = append(c.watches, w)
		c.add(w.shard, &part{effect: func(s *shard, _ [][]byte, _ *part) { s.watch(w) }}, nil)
	}
	return c.say(c.local.ok)
}

func unwatch(c *connection, _ [][]byte) slot {
	c.unwatchAll()
	return c.say(c.local.ok)
}

// unwatchAll takes all watchpoints of the connection down, in their turn of the round.
func (c *connection) unwatchAll() {
	for _, w := range c.watches {
		c.add(w.shard, &part{effect: func(s *shard, _ [][]byte, _ *part) { s.unwatch(w) }}, nil)
	}
	c.watches = nil
}

// leave takes them down for a connection that has ended.
func (c *connection) leave() {
	for _, w := range c.watches {
		forget.Tell(c.server.outside, c.server.units[w.shard], w)
	}
}
