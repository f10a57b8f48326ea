package ddb

import (
	"sync/atomic"
	"unsafe"
)

// A connection works in batches. A batch takes the requests that have been received (at most maxBatch), sorts them by
// shard into groups, sends each group as one message, waits once for all of them, and answers in the order of the
// requests. So a pipeline costs one message per shard, not per command. The arguments point into the connection's read
// buffer, which stays as it is until the batch is over.
//
// Order: within a group the tasks are in the order of the requests, and messages of one sender to one unit run in the
// order sent. A command for several shards has a part in the group of each, in its turn; therefore each part sees
// everything the connection sent before it to that shard, and nothing that it sent after. What must be atomic over
// several shards, and a transaction, is a message of its own to all of them (freerun.OpAll), one for several such commands
// that follow each other: the groups of these shards so far are sent before it, and what comes later goes into new ones.

// maxBatch bounds the requests of a batch; replymemory.go bounds the bytes of their replies.
const maxBatch = 1024

// task is what a shard does for one request.
type task struct {
	cmd          *command                                 // nil for what is not a command
	effect       func(s *shard, args [][]byte, w *writer) // nil if part is set
	part         *part
	args         [][]byte
	commandIndex int // of the commands in a message to several shards, which one this belongs to

	start, end int // the reply is out.buf[start:end] of the group, and tail
	tail       []byte
}

// replies reports whether a task is for a command, of which some reply waits.
func (t *task) replies() bool { return t.cmd != nil }

func (t *task) grows() growth {
	if t.cmd == nil {
		return keeps
	}
	return t.cmd.grows
}

// group is the tasks of one batch for one shard: the message. While it is under way it belongs to the shard, otherwise
// to the connection. The shard gives it back by counting down the batch.
type group struct {
	shard     int
	tasks     []task
	out       writer
	completed int // tasks that have been run; fewer than all if one of them panicked, or the message was halted
	refused   bool
	batch     *batch

	lacking int64 // bytes that must be secured for the task it is at
	grant   int64 // bytes that were got for that from other shards, after the message was halted
	asked   bool  // they have been asked

	copies, refs int64 // bytes beside out.buf that unanswered replies have copied, and that they refer to
	held, copied int64 // what the batch has been told of it
	over         bool  // the batch was over its limit when it was told
	written      int   // of out.buf, what has been answered
	kept         int64 // bytes that it keeps for later batches

	message *message // that it is in
	own     message  // of this group and nothing else
	self    [1]*group
}

// message is what is sent at a time: one group to its shard, or several, and perhaps none, at one instant.
type message struct {
	groups   []*group
	single   bool // one group, and nothing else
	commands int
	done     int // of them, how many were executed
	halted   bool
	urgent   bool // a reply is waited for: one command may exceed what the batch may hold
	batch    *batch
	tx       *transaction
}

// batch counts the messages that are under way. The one that ends it puts a token into done; so does a server that gives
// up on the batch, in which case pending is not 0.
type batch struct {
	pending atomic.Int32
	done    chan struct{} // room for both tokens

	// halts says for each shard whether it has halted at a message of this batch: then it does not execute those behind it until the connection sends
	// them again. It is the shards' while messages are under way, of each its own element.
	halts []bool

	replyMemory
}

// runGroup executes the message of one group.
func (s *shard) runGroup(g *group) {
	if g.batch.halts[g.shard] {
		g.own.halted = true
		return
	}
	s.begin()
	defer s.end()
	s.reservation += g.grant
	g.grant = 0
	for g.completed < len(g.tasks) {
		t := &g.tasks[g.completed]
		if t.replies() && !g.batch.allows(&g.own) {
			g.halt()
			return
		}
		v := secured
		if s.mustSecure(t) {
			v = s.secureTask(t, g)
		}
		if v == starved {
			g.halt()
			return
		}
		s.run(t, g, v)
	}
}

// halt leaves the rest of the group to be sent again, with what comes behind it on its shard.
func (g *group) halt() { g.own.halted, g.batch.halts[g.shard] = true, true }

// run executes a task, or answers it with an error.
func (s *shard) run(t *task, g *group, v verdict) {
	t.start = len(g.out.buf)
	switch {
	case t.part != nil:
		if t.part.refused = v == refused; v == secured {
			t.part.effect(s, t.args, t.part)
		}
		t.part.done = true
	case v == refused:
		g.out.fail(errOOM)
	default:
		t.effect(s, t.args, &g.out)
		if g.out.tail != nil {
			t.tail, g.out.tail = g.out.tail, nil
			g.noteBytes(len(t.tail), s.records.arena != nil)
		}
		g.reportGrain()
	}
	if g.over { // nothing of it will be sent
		g.out.buf, t.tail = g.out.buf[:t.start], nil
	}
	t.end = len(g.out.buf)
	g.completed++
	g.lacking, g.asked = 0, false
}

// finish counts down one message. It is deferred where messages are run: a panic goes on to the runtime, which reports
// it, and the connection does not wait for ever.
func (r *batch) finish() {
	if r.pending.Add(-1) == 0 {
		r.done <- struct{}{}
	}
}

// reset forgets the batch but keeps modest buffers for the next one.
func (g *group) reset() {
	g.tasks, g.completed, g.refused, g.lacking, g.asked = emptied(g.tasks), 0, false, 0, false
	if cap(g.out.buf) > keptBuffer {
		g.out.buf = nil
	}
	g.out.buf, g.out.tail = g.out.buf[:0], nil
	g.copies, g.refs, g.written, g.over = 0, 0, 0, false
	g.report()
	g.kept = int64(cap(g.out.buf)) + int64(cap(g.tasks))*int64(unsafe.Sizeof(task{}))
}

// What a connection keeps between batches, so that an idle one does not hold on to the room that a deep pipeline needed.
const (
	keptBuffer = 64 << 10 // bytes of a buffer
	keptItems  = 256      // elements of a slice
)

// emptied returns s without its elements, whose references it drops.
func emptied[T any](s []T) []T {
	if cap(s) > keptItems {
		return nil
	}
	clear(s)
	return s[:0]
}
