package ddb

// watchpoint is one key that a connection watches. From WATCH until it is dropped there, it belongs
// to the key's shard.
type watchpoint struct {
	key        string
	shard      int
	touched    bool // the key has changed; up is false then
	up         bool
	prev, next *watchpoint // other watchpoints that are up for the same key
}

// watch puts a watchpoint up.
func (s *shard) watch(w *watchpoint) {
	s.find([]byte(w.key)) // a key that is due must go now, or its removal would be a change
	if s.watched == nil {
		s.watched = map[string]*watchpoint{}
	}
	if w.next = s.watched[w.key]; w.next != nil {
		w.next.prev = w
	}
	w.up = true
	s.watched[w.key] = w
}

// unwatch takes a watchpoint down if it is up. Its cost does not depend on how many clients watch
// the key.
func (s *shard) unwatch(w *watchpoint) {
	if !w.up {
		return
	}
	if w.next != nil {
		w.next.prev = w.prev
	}
	switch {
	case w.prev != nil:
		w.prev.next = w.next
	case w.next != nil:
		s.watched[w.key] = w.next
	default:
		delete(s.watched, w.key)
	}
	w.up, w.prev, w.next = false, nil, nil
}

// touch marks all watchpoints for the key of an entry that is about to change, and takes them down:
// a watchpoint is touched once.
func (s *shard) touch(e *entry) {
	if len(s.watched) == 0 {
		return
	}
	key := s.records.key(e)
	first := s.watched[key]
	if first == nil {
		return
	}
	delete(s.watched, key)
	for w := first; w != nil; {
		next := w.next
		w.touched, w.up, w.prev, w.next = true, false, nil, nil
		w = next
	}
}

// watches are the keys that a connection watches, each once. The zero value is empty.
type watches struct {
	points []*watchpoint
	keys   map[string]bool
	bytes  int64
}

// add returns a new watchpoint for a key, nil if the connection watches it already.
func (w *watches) add(key []byte, shard int) *watchpoint {
	if w.keys[string(key)] {
		return nil
	}
	if w.keys == nil {
		w.keys = map[string]bool{}
	}
	point := &watchpoint{key: string(key), shard: shard}
	w.keys[point.key] = true
	w.points = append(w.points, point)
	w.bytes += int64(len(key)) + watchOverhead
	return point
}

// watchOverhead is roughly what a watched key takes beside its bytes: the watchpoint, and its
// places here and in the shard.
const watchOverhead = 200

func watch(c *connection, args [][]byte) slot {
	if c.queue.open {
		return c.replyLocally(func() { c.local.fail(errWatchInside) })
	}
	var added []*watchpoint
	for _, arg := range args[1:] {
		if w := c.watches.add(arg, c.server.shardOf(arg)); w != nil {
			added = append(added, w)
		}
	}
	c.eachWatch(added, (*shard).watch)
	return c.replyLocally(c.local.ok)
}

func unwatch(c *connection, _ [][]byte) slot {
	c.unwatchAll()
	return c.replyLocally(c.local.ok)
}

// unwatchAll takes down all watchpoints of the connection, in order with the other commands of the
// batch.
func (c *connection) unwatchAll() {
	c.eachWatch(c.watches.points, (*shard).unwatch)
	c.watches = watches{}
}

// eachWatch makes a part for each shard that calls do for the shard's watchpoints.
func (c *connection) eachWatch(points []*watchpoint, do func(*shard, *watchpoint)) {
	for number, own := range c.server.byShard(points) {
		if len(own) == 0 {
			continue
		}
		c.addPart(number, &part{effect: func(s *shard, _ [][]byte, _ *part) {
			for _, w := range own {
				do(s, w)
			}
		}}, nil)
	}
}

// byShard sorts watchpoints by their shards.
func (s *Server) byShard(points []*watchpoint) [][]*watchpoint {
	if len(points) == 0 {
		return nil
	}
	sorted := make([][]*watchpoint, len(s.units))
	for _, w := range points {
		sorted[w.shard] = append(sorted[w.shard], w)
	}
	return sorted
}

// forgetWatches takes down the watchpoints of a connection that has ended.
func (c *connection) forgetWatches() {
	for number, own := range c.server.byShard(c.watches.points) {
		if len(own) > 0 {
			forget.Tell(c.server.outside, c.server.units[number], own)
		}
	}
}
