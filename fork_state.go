package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/park"
	"github.com/freerun-go/freerun/internal/sys/goid"
)

// Source:     R. Blumofe and C. Leiserson, Scheduling Multithreaded Computations by Work Stealing, J. ACM 1999 (steal the oldest);
//             D. Wagner and B. Calder, Leapfrogging, PPoPP 1993 (what a join does meanwhile); U. Acar, A. Charguéraud and M. Rainey,
//             Scheduling Parallel Programs by Work Stealing with Private Deques, PPoPP 2013 (publish when asked). Ours: the
//             question is the empty offer itself, and the private deque has a lane of typed frames for each function.
// Sketch:     join(f, g):   push g; if offer is empty: lay the oldest frame that is not laid yet into it
//                           f(); pop; if g was not laid: g()
//                           else: take g back from the offer, or claim it → g(); it is stolen → await it (fork_await.go)
//             thief:        take a job from an offer or deque; claim it; run it; done; wake who waits (fork_job.go)
// Invariants: I1 frames of one Context are a stack: what was forked last is joined first, by construction of the API, and unwinding
//             joins too.
//             I2 runs cut that stack, oldest first, into pieces that lie in one lane and belong to one job; only the top one changes.
//             I3 those that are laid are the oldest: in each lane a prefix, and in each run before the first open one all.
//             I4 the offer holds the job that was laid last, or nothing, or what it never held was moved to the deque.
//             Not invariant: that a frame's job is in the offer. It may be in a deque, or with a thief.
// Progress:   fork and a join of what was not stolen are wait-free. A join of a stolen branch waits for the thief, and gives its processor away
//             meanwhile.
// Publish:    a job's argument before the offer's word; its result and failure before its state says done.
// ABA/memory: a job that was taken back from the offer is used again: whoever has seen it there holds an old number of the offer (internal/sched/slot.go).
//             One that went into a deque, or was claimed, is left to the collector.
// Cost:       fork and join that nobody asks: no atomic read-modify-write and no allocation. One that is laid and taken back: one atomic
//             store and one CAS. Stolen: one allocation.
// Checked by: TestJoin…, TestFor…, TestExploreJob…

// forks is what an operation has forked and not joined yet. It belongs to the goroutine that runs the operation.
type forks struct {
	home  atomics.RelaxedUintptr // that goroutine, 0 if it is to be found out; others read it to see that they are not it
	offer *sched.Offer           // of the processor
	key   unsafe.Pointer         // for whom the top run is
	last  unsafe.Pointer         // that lane
	*forkParts
}

// forkParts is the part of forks that a fork in the lane that was used last need not look at. It is made when
// something is forked first: most contexts of scopes never have it.
type forkParts struct {
	floor  int  // how many runs there were when the operation began; more, and it is in a branch or a loop
	job    *job // the stolen branch that is being run, nil for the operation itself
	runs   []run
	open   int // the first run that may have frames that were not laid
	lanes  map[unsafe.Pointer]stack
	strand *sched.Suspension // where it sleeps; nil until it does
	parker *park.Parker      // where it does once it has no processor any more, nil before
}

// stack is a lane as those see it who need not know the type of its frames.
type stack interface {
	// height returns how many frames there are.
	height() int
	// lay makes a job of what is left of the oldest frame below end, or of a part of it if it can be split and all is false; nil if all of them
	// are laid. It must not be queued yet.
	lay(end int, all bool) *job
}

// run is a piece of the stack of frames: those in one lane from base on, up to end unless it is the top one. It begins with a join or loop that does
// not find its lane as the last one used, and ends with it. One without a lane begins a stolen job.
type run struct {
	key, at   unsafe.Pointer
	lane      stack
	base, end int
	job       *job
}

// mostLanes is how many lanes a Context keeps: functions that can be forked are declared once, and there are as many as a program has.
const mostLanes = 1024

// owned reports whether the goroutine that is there runs the operation that c belongs to, on a processor.
func (c *Context) owned() bool {
	id := goid.ID()
	if c.forks.home.Load() == id {
		return true
	}
	s := c.worker.Load()
	if s.processor == nil || s.processor.Home() != id || s.active.Load() != c {
		return false
	}
	c.forks.begin()
	c.forks.home.Store(id)
	c.forks.offer = s.processor.Offer()
	return true
}

// begin makes the parts.
func (f *forks) begin() {
	if f.forkParts == nil {
		f.forkParts = &forkParts{}
	}
}

// lane returns the lane for key if the top run lies in it, and c is the goroutine's own; nil otherwise.
func (f *forks) lane(key unsafe.Pointer) unsafe.Pointer {
	if f.home.Load() == goid.ID() && f.key == key { // key is the goroutine's own
		return f.last
	}
	return nil
}

// known returns the lane for key, nil if there is none yet: then there is room for it.
func (f *forks) known(key unsafe.Pointer) stack {
	l := f.lanes[key]
	if l == nil && (f.lanes == nil || len(f.lanes) >= mostLanes) { // those in use are in runs
		f.lanes = map[unsafe.Pointer]stack{}
	}
	return l
}

// enter begins a run in l, at lane; leave ends it.
func (f *forks) enter(key, lane unsafe.Pointer, l stack) {
	if top := len(f.runs) - 1; top >= 0 && f.runs[top].lane != nil {
		f.runs[top].end = f.runs[top].lane.height()
	}
	r := run{key: key, at: lane, lane: l, job: f.job}
	if f.key, f.last = key, lane; l != nil {
		r.base = l.height()
	}
	f.runs = append(f.runs, r)
	f.open = min(f.open, max(len(f.runs)-2, 0)) // to the others nothing was added
}

// leave ends the top run, which is empty, and goes back to the one before.
func (f *forks) leave() {
	top := len(f.runs) - 1
	f.runs[top] = run{}
	f.runs = f.runs[:top]
	f.key, f.last = nil, nil
	if top > 0 {
		f.key, f.last = f.runs[top-1].key, f.runs[top-1].at
	}
	f.open = min(f.open, max(top-1, 0))
}

// branched reports whether the running operation is in a branch or a loop.
func (f *forks) branched() bool { return f.forkParts != nil && len(f.runs) > f.floor }

// beginInner begins a small operation that is run within another one, and may forward even if that one is in a branch.
func (f *forks) beginInner() (floor int) {
	if f.forkParts == nil || len(f.runs) == 0 {
		return 0
	}
	floor = f.floor
	f.enter(nil, nil, nil)
	f.floor = len(f.runs)
	return floor
}

// endInner ends it.
func (f *forks) endInner(floor int) {
	if f.forkParts != nil && f.floor > 0 {
		f.leave()
		f.floor = floor
	}
}

// layOldest makes a job of the oldest frame that is not laid, nil if there is none.
func (c *Context) layOldest(all bool) *job {
	f := &c.forks
	for f.open < len(f.runs) {
		r := &f.runs[f.open]
		top := f.open == len(f.runs)-1
		if r.lane != nil {
			end := r.end
			if top {
				end = r.lane.height()
			}
			if j := r.lane.lay(end, all); j != nil {
				j.parent.Store(r.job)
				j.kind, j.function, j.realm = c.kind.Load(), c.function.Load(), c.key
				return j
			}
		}
		if top {
			return nil
		}
		f.open++
	}
	return nil
}

// publish offers the oldest frame that is not laid. The offer is empty.
func (c *Context) publish() {
	if j := c.layOldest(false); j != nil {
		c.forks.offer.Put(&j.Task)
		c.worker.Load().pause()
	}
}

// publishAll gives all frames to the processor's deque, oldest first, because nobody else can reach them while the goroutine sleeps.
func (c *Context) publishAll(p *sched.Processor) {
	if f := &c.forks; f.forkParts != nil && len(f.runs) != 0 {
		c.publishSome(p)
	}
}

func (c *Context) publishSome(p *sched.Processor) {
	if t := p.Offer().Take(); t != nil {
		p.PushAt(c.Priority(), t)
	}
	for j := c.layOldest(true); j != nil; j = c.layOldest(true) {
		p.PushAt(c.Priority(), &j.Task)
	}
}
