package freerun

import (
	"time"

	"github.com/freerun-go/freerun/internal/sched"
)

// Source:     SIEVE: Y. Zhang, J. Yang, Y. Yue, Y. Vigfusson and K. V. Rashmi, SIEVE is simpler
//             than LRU, 2024. Its list is in the units; its hand goes from the oldest to the newest
//             and takes the first that was not used since it came by last. Idle units are found by
//             the buckets of a wheel: a unit is looked at once in an idle time.

// keeper is the state of a unit of its own, one for each kind and runtime with a limit or an idle
// time. It knows the active units, and tells those to become passive that are idle or must make
// room. A unit tells it when it has become active. It learns that a unit has become passive for
// another reason when it looks at that.
type keeper struct {
	home *kindHome
	self *Unit[keeper]
	// newest and oldest are the ends of the list, and hand is the unit that is looked at next.
	newest, oldest, hand *unit
	n                    int
	buckets              [buckets][]*unit // by the tick in which the units are looked at
	waiting              int              // units in buckets and left
	ticking              bool             // a tick is to come
	left                 []*unit          // what remains of the present tick's bucket
	looksForRoom         bool             // a look for room is to come
	asking               []asking         // units that are to become active once there is room
}

// keyedOf returns what the unit, which is of a kind, has beside others.
func keyedOf(u *unit) *keyed { return u.ext.Load().keyed() }

const (
	ticks   = 4   // in the idle time of a kind
	buckets = 8   // a power of two above ticks + 1
	portion = 512 // units that are looked at before others get their turn

	roomPause = 10 * time.Millisecond  // between two looks for room while all units are in use
	patience  = 100 * time.Millisecond // for how long a unit may wait for room to become active
)

// keeping is what the keeper is told: an active unit, and whether it was to become passive and has
// stayed, because it is in use.
type keeping struct {
	unit   *unit
	stayed bool
}

var (
	keepOp    = Op[keeper, keeping, struct{}]("kind.keep", nil)
	tickOp    = Op[keeper, struct{}, struct{}]("kind.tick", nil)
	portionOp = Op[keeper, struct{}, struct{}]("kind.portion", nil)
	roomOp    = Op[keeper, struct{}, struct{}]("kind.room", nil)
	askOp     = Op[keeper, *unit, struct{}]("kind.ask", nil)
	leaveOp   = Op[keeper, *unit, struct{}]("kind.leave", nil)
)

func init() {
	Define(keepOp, func(c *Context, k *keeper, a keeping) (struct{}, error) {
		k.add(c, a.unit, a.stayed)
		return struct{}{}, nil
	})
	Define(tickOp, func(c *Context, k *keeper, _ struct{}) (struct{}, error) {
		k.tick(c)
		return struct{}{}, nil
	})
	Define(portionOp, func(c *Context, k *keeper, _ struct{}) (struct{}, error) {
		k.look(c)
		return struct{}{}, nil
	})
	Define(roomOp, func(c *Context, k *keeper, _ struct{}) (struct{}, error) {
		k.looksForRoom = false
		for range portion {
			if !k.makeRoom(c) {
				break
			}
		}
		k.letIn(c)
		k.lookForRoom(c)
		return struct{}{}, nil
	})
	Define(askOp, func(c *Context, k *keeper, u *unit) (struct{}, error) {
		k.asking = append(k.asking, asking{u, c.rt.env.now()})
		k.makeRoom(c)
		k.letIn(c)
		k.lookForRoom(c)
		return struct{}{}, nil
	})
	Define(leaveOp, func(c *Context, k *keeper, u *unit) (struct{}, error) {
		if u != nil {
			if !keyedOf(u).is(active) {
				k.remove(u)
			}
		}
		k.letIn(c)
		return struct{}{}, nil
	})
	for _, o := range []*core{&keepOp.op.core, &tickOp.op.core, &portionOp.op.core, &roomOp.op.core, &askOp.op.core, &leaveOp.op.core} {
		o.keepsHouse()
	}
}

func newKeeper(h *kindHome) *Unit[keeper] {
	u := NewUnit(h.rt, keeper{home: h}, UnitName("the keeper of "+h.kind.declared.name))
	u.unit.ext.Load().set().around = nil // it is no unit of the program
	u.state.self = u
	return u
}

// keep tells the keeper of a unit that is active now, or has stayed so.
func (h *kindHome) keep(w *worker, u *unit, stayed bool) {
	if h.keeper != nil {
		// If that fails, the runtime ends, and then no unit needs to become passive.
		tellKeeper(w, h, keepOp, keeping{u, stayed})
	}
}

// tellKeeper tells the keeper of h. It returns false if the runtime ends.
//
// Off the processors it is no Tell, which would have an ordinary goroutine wait while the keeper is
// far behind: the goroutine may be in a method that does not wait, as [Promise.Resolve]. It is
// counted as what an insider sends: for the unit that it is about lies still, or runs an operation,
// so that there is a message which is not done.
func tellKeeper[A any](w *worker, h *kindHome, op *Operation[keeper, A, struct{}], arg A) bool {
	if w.at(h.rt) {
		return op.Tell(w.contextFor(nil), h.keeper, arg) == nil
	}
	if !h.rt.countSent(drains) {
		return false
	}
	m := &sendMessage[A, struct{}]{arg: arg}
	op.op.core.sendOwn(h.rt, h.keeper.checked(), &m.result.promised, nil)
	return true
}

// asking is a unit that lies still, because too many are active, and since when.
type asking struct {
	unit  *unit
	since time.Time
}

// enter counts a unit that is to become active, and reports whether it did. If not, the unit must
// ask the keeper: there is no room, or others wait for it.
func (h *kindHome) enter() bool {
	if h.settings.most == 0 {
		h.active.Add(1)
		return true
	}
	return h.asking.Load() == 0 && h.takePlace()
}

// takePlace counts a unit that is to become active if there is room. To look and to count is one
// step: two owners may look at the same time.
func (h *kindHome) takePlace() bool {
	for {
		n := h.active.Load()
		if n >= 2*int64(h.settings.most) {
			return false
		}
		if h.active.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// ask has the keeper make a unit active once there is room. It returns false if the runtime ends:
// then the caller goes on.
func (h *kindHome) ask(w *worker, u *unit) bool {
	h.asking.Add(1)
	if !tellKeeper(w, h, askOp, u) {
		h.asking.Add(-1)
		return false
	}
	return true
}

// leaves tells the keeper that a unit has become passive: others may wait for that, and it may be
// in the list, which must not grow with units that are passive.
func (h *kindHome) leaves(w *worker, u *unit) {
	if h.settings.most > 0 {
		tellKeeper(w, h, leaveOp, u)
	}
}

// letIn makes units active that have asked for it, as far as there is room, and turns those away
// that have waited for too long.
func (k *keeper) letIn(c *Context) {
	h, w := k.home, c.here()
	for len(k.asking) > 0 {
		first := k.asking[0]
		x := keyedOf(first.unit)
		switch {
		case h.takePlace():
			k.letInFirst(w)
		case c.rt.phase.Load() >= drains:
			h.active.Add(1)
			k.letInFirst(w)
		case c.rt.env.now().Sub(first.since) >= patience:
			x.turnAway(w, first.unit, &crowdedError{h.kind.declared.name, h.settings.most})
		default:
			return
		}
		h.asking.Add(-1)
		k.asking[0] = asking{}
		k.asking = k.asking[1:]
	}
}

// letInFirst makes the unit active that has asked first, and is counted. It does not do so by hand:
// the keeper goes on with other messages.
func (k *keeper) letInFirst(w *worker) {
	w.queueReady(k.home.rt, sched.Normal, k.home.kind.activate(w, k.asking[0].unit))
}

// letAllIn has the units become active that have asked for it, when a Shutdown has begun: the
// timers by which keepers look for room have ended, and the messages of those units are to be done.
// A unit that asks later finds the phase.
func (rt *Runtime) letAllIn() {
	homes := rt.homes.Load()
	if homes == nil {
		return
	}
	for _, h := range *homes {
		if h == nil || h.asking.Load() == 0 || !rt.countSent(drains) {
			continue
		}
		m := &(&sendMessage[*unit, struct{}]{}).result.promised
		m.start(&leaveOp.op.core, h.keeper.checked())
		_ = rt.outside.dispatch(&m.message, anySender) // a keeper takes all
	}
}

// add takes a unit into the list, if it is in none, and into a bucket.
func (k *keeper) add(c *Context, u *unit, stayed bool) {
	x := keyedOf(u)
	if !x.listed {
		x.listed = true
		if x.older = k.newest; x.older != nil {
			keyedOf(x.older).newer = u
		} else {
			k.oldest = u
		}
		k.newest = u
		k.n++
	}
	if k.home.settings.idle > 0 {
		if !x.waits { // it may wait from the time when it was in the list before
			k.wait(u, x)
		}
		if !k.ticking {
			k.ticking = true
			k.awaitTick(c)
		}
	}
	if !stayed {
		k.makeRoom(c)
	}
	k.lookForRoom(c)
}

// remove takes a unit out of the list.
func (k *keeper) remove(u *unit) {
	e := keyedOf(u)
	if !e.listed {
		return
	}
	if k.hand == u {
		k.hand = e.newer
	}
	if e.newer != nil {
		keyedOf(e.newer).older = e.older
	} else {
		k.newest = e.older
	}
	if e.older != nil {
		keyedOf(e.older).newer = e.newer
	} else {
		k.oldest = e.newer
	}
	e.listed, e.newer, e.older = false, nil, nil
	k.n--
}

// makeRoom tells one unit to become passive, if there are too many. It reports whether it did.
func (k *keeper) makeRoom(c *Context) bool {
	if k.home.settings.most == 0 {
		return false
	}
	for looks := 0; k.tooMany() && looks < portion; looks++ {
		u := k.hand
		if u == nil {
			u = k.oldest
		}
		x := keyedOf(u)
		k.hand = x.newer
		switch {
		case !x.is(active):
			k.remove(u)
		case x.isSuspended(): // it is in use once it goes on
		case x.marked.Load():
			x.marked.Store(false)
		default:
			k.remove(u)
			k.tell(c, u, stopRoom)
			return true
		}
	}
	return false
}

// tooMany reports whether more units are active than there should be. A unit that is passive may be
// in the list, and one that is about to be active is not yet.
func (k *keeper) tooMany() bool {
	most := k.home.settings.most
	return most > 0 && k.n > most && k.home.active.Load() > int64(most)
}

// lookForRoom has the keeper look again soon, while there are too many units: all were in use.
func (k *keeper) lookForRoom(c *Context) {
	if (k.tooMany() || len(k.asking) > 0) && !k.looksForRoom {
		k.looksForRoom = true
		roomOp.SendAfter(c, roomPause, k.self, struct{}{})
	}
}

func (k *keeper) tell(c *Context, u *unit, why stopReason) { _ = k.home.kind.passivate(c, u, why) }

// wait puts a unit into the bucket of the tick after its idle time.
func (k *keeper) wait(u *unit, x *keyed) {
	x.waits = true
	k.waiting++
	b := &k.buckets[(x.used.Load()+ticks+1)%buckets]
	*b = append(*b, u)
}

func (k *keeper) awaitTick(c *Context) {
	tickOp.SendAfter(c, max(k.home.settings.idle/ticks, time.Millisecond/ticks), k.self, struct{}{})
}

// tick begins the next tick, and looks at the units that are due.
func (k *keeper) tick(c *Context) {
	now := k.home.now.Load() + 1
	k.home.now.Store(now)
	due := &k.buckets[now%buckets]
	k.left = append(k.left, *due...)
	*due = nil
	k.look(c)
	if k.waiting > 0 { // units that are passive by now, too: the buckets keep them
		k.awaitTick(c)
	} else {
		k.ticking = false
	}
}

// look looks at a portion of the units that are due.
func (k *keeper) look(c *Context) {
	for range min(len(k.left), portion) {
		last := len(k.left) - 1
		u := k.left[last]
		k.left[last] = nil
		k.left = k.left[:last]
		x := keyedOf(u)
		x.waits = false
		k.waiting--
		switch {
		case !x.is(active):
			k.remove(u)
		case x.idle() && !x.isSuspended():
			k.remove(u)
			k.tell(c, u, stopIdle)
		default:
			k.wait(u, x)
		}
	}
	if len(k.left) > 0 {
		_ = portionOp.Tell(c, k.self, struct{}{})
	}
}

// idle reports whether the unit has run nothing for the idle time.
func (x *keyed) idle() bool { return uint32(x.settings.home.now.Load())-x.used.Load() > ticks }
