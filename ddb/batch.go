package ddb

import (
	"sync/atomic"
	"unsafe"
)

// A connection works in pipeline batches. A batch takes the requests that have been received (at
// most maxBatch), sorts them by shard into groups, sends each group as one message, waits once for
// all messages, and answers in the order of the requests. So a pipeline costs one message per
// shard, not one per command. The arguments point into the connection's read buffer, which stays
// unchanged until the batch ends.
//
// Order: the tasks of a group are in the order of the requests, and messages of one sender to one
// unit run in the order sent. A command for several shards has a part in the group of each, at its
// position. So each part sees everything that the connection sent to that shard before, and nothing
// that it sent after.
//
// Multishard messages: a command that must be atomic over several shards, and a transaction, is one
// message to all of these shards (freerun.OpAll). Consecutive commands of this kind share a
// message. The groups that these shards have so far are sent before it; later commands go into new
// groups.

// maxBatch bounds the requests of a batch; replymemory.go bounds the bytes of their replies.
const maxBatch = 1024

// task is a shard's work for one request.
type task struct {
	cmd    *command                                 // nil if the task is not for a command
	effect func(s *shard, args [][]byte, w *writer) // nil if part is set
	part   *part
	args   [][]byte
	// The command's index in a message to several shards.
	commandIndex int

	start, end int // the reply is out.buf[start:end] of the group, and tail
	tail       []byte
}

// replies reports whether the task belongs to a command, which has a reply.
func (t *task) replies() bool { return t.cmd != nil }

func (t *task) grows() growth {
	if t.cmd == nil {
		return keeps
	}
	return t.cmd.grows
}

// group is the tasks of one batch for one shard. It is the content of the message to that shard.
// While the message is under way, the group belongs to the shard, otherwise to the connection. The
// shard gives it back when it counts down the batch.
type group struct {
	shard int
	tasks []task
	out   writer
	// Tasks that have been run. Fewer than all if one panicked or the message was halted.
	completed int
	refused   bool
	batch     *batch

	lacking int64 // bytes to be reserved for the task at hand
	grant   int64 // bytes that other shards freed for that task
	asked   bool  // other shards were asked to evict for it

	// Of unanswered replies, the bytes beside out.buf: copied, and referred to.
	copies, refs int64
	// What the batch knows of them.
	held, copied int64
	over         bool  // whether the batch was over its limit at the last report
	written      int   // the bytes of out.buf that have been answered
	kept         int64 // bytes that the group keeps for later batches

	message *message // the message that the group is in
	own     message  // the message of a group that is sent by itself
	self    [1]*group
}

// message holds the groups that are sent together: one group to its shard, or several groups to
// their shards at one instant. A transaction without commands for shards has none.
type message struct {
	groups   []*group
	single   bool // one group, sent to one unit
	commands int
	done     int // the commands that were executed
	halted   bool
	// The next reply comes from here: one command may exceed the limit on the batch's replies.
	urgent bool
	batch  *batch
	tx     *transaction
}

// batch counts the messages that are under way. The message that brings pending to 0 puts a token
// into done. A server that gives up on the batch puts a token, too; pending is not 0 then.
type batch struct {
	pending atomic.Int32
	done    chan struct{} // room for both tokens

	// halts has an element for each shard, which is true after the shard halted at a message of
	// this batch: the shard then executes none of the messages behind it until the connection sends
	// them again. While messages are under way, each shard owns its element.
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
	prepared := g.completed
	for g.completed < len(g.tasks) {
		if g.completed == prepared {
			prepared += s.prepareTasks(g.tasks[prepared:])
		}
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

// halt leaves the rest of the group, and later messages of the batch to its shard, to be sent
// again.
func (g *group) halt() { g.own.halted, g.batch.halts[g.shard] = true, true }

// run executes a task, or answers it with an error if its memory was refused.
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
	if g.over { // the reply will not be sent
		g.out.buf, t.tail = g.out.buf[:t.start], nil
	}
	t.end = len(g.out.buf)
	g.completed++
	g.lacking, g.asked = 0, false
}

// finish counts down one message. Operations defer it: a panic goes on to the runtime, which
// reports it, and the connection does not wait for ever.
func (r *batch) finish() {
	if r.pending.Add(-1) == 0 {
		r.done <- struct{}{}
	}
}

// reset prepares the group for the next batch. It keeps buffers of modest size.
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

// A connection keeps at most this much between batches, so that an idle connection does not hold
// the room that a deep pipeline needed.
const (
	keptBuffer = 64 << 10 // bytes of a buffer
	keptItems  = 256      // elements of a slice
)

// emptied returns s without its elements, and drops their references. A large s is dropped as a
// whole.
func emptied[T any](s []T) []T {
	if cap(s) > keptItems {
		return nil
	}
	clear(s)
	return s[:0]
}
