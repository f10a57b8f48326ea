package freerun

import (
	"reflect"
	"time"
	"unsafe"

	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/record"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// BackOff has the unit lie still after each restart ([RestartOnPanic], [Restarts]): for least after
// the first one, for twice as long after each further one within the window, and never for longer
// than most. Its messages wait meanwhile, in their order, those of [Stop] and [Watch] too: none
// fails or is lost by it. A limited mailbox fills up as that of a busy unit does ([MailboxLimit]).
// A fault that finds the restarts used up stops the unit at once.
//
// The time begins with the restart, and no processor or goroutine waits. [Runtime.Quiesce] and
// [Scope.Wait] wait for the messages that wait there. A Shutdown does not wait for the time: when
// it begins, the unit goes on at once, and lies still no more. A Close gives up what waits, as what
// lies in other mailboxes. The time is virtual in a deterministic runtime.
//
// The time counts in the window, too: if the delays of all restarts together are longer than the
// window, the restarts are never used up. A unit of a [Kind] is passive while it lies still, and
// its next message makes a new state afterwards. BackOff panics if least is not positive, or most
// is less than least; NewUnit and [NewKind] panic if nothing restarts the unit.
func BackOff(least, most time.Duration) UnitOption {
	if least <= 0 || most < least {
		panic("freerun: BackOff needs a least delay above zero, and a greatest one that is not less")
	}
	return UnitOption{func(x *unitExt, _ reflect.Type) { x.faults().backOff = &backOff{least: least, most: most} }}
}

// Source:     the delayed restarts of Akka's BackoffSupervisor; that the messages wait in the
//             unit's own mailbox is ours
// Sketch:     a fault: the policy restarts the unit, and makes a rest
//             crashed, or the release of a message to several units: in place of queueing the unit,
//             the owner arms the rest's timer. The unit lies still: owned, in no queue
//             the timer fires, or ends with the runtime: the unit is queued
// Invariants: I1 A unit with a rest runs nothing: from the fault to the arming the owner takes no
//             message, and from then on the rest's timer is the owner.
//             I2 A timer fires or ends, once (T3, T4, T5 of timer.go). So the unit is queued once.
//             I3 The rest is taken away before the unit is queued.
// Progress:   Time ends a rest, and nothing else is waited for. So the graph of futures does not
//             have it (kind_cycle.go), and units that a full mailbox holds back stay so meanwhile
//             (unit_limit.go).
// Publish:    the new state is written before the timer is armed, and read after the unit is queued
// Cost:       an allocation and a timer for each restart; nothing else
// Checked by: TestExploreBackOff…, TestBackOff…, TestLifeBackOff

// backOff has the options of [BackOff], and the rest of a unit.
type backOff struct {
	least, most time.Duration
	rest        atomics.Pointer[rest] // nil unless the unit lies still, or is about to
}

// rest is the time for which a unit lies still after a restart.
type rest struct {
	message // the target of timer; its unit is the one that lies still
	timer   Timer
	until   time.Time
}

// restVtable is set in init: it leads to functions that lead to it.
var restVtable *vtable

func init() {
	restVtable = newVtable(vtable{
		identity: identity{name: "freerun.BackOff", number: record.Declare(record.Operation{Name: "freerun.BackOff"})},
		late:     endRest,
		unsent:   func(_ *worker, m *message, _ *promise.Failure) { endRest(m.unit.rt.detachedWorker(), m) },
	}, nil)
}

// delay returns for how long a unit lies still after the nth restart within the window, from 1 on.
func (b *backOff) delay(nth int) time.Duration {
	d := b.least
	for range nth - 1 {
		if d >= b.most-d {
			return b.most
		}
		d += d
	}
	return d
}

// backsOff has the unit, which was just restarted, lie still as soon as its owner lets go of it. It
// returns for how long. Owner only.
func (u *unit) backsOff(p *faultPolicy) time.Duration {
	if p.backOff == nil || u.rt.phase.Load() != running {
		return 0
	}
	d, r := p.backOff.delay(len(p.recent)), &rest{}
	r.until = u.rt.env.now().Add(d)
	r.unit = u
	r.become(restVtable)
	p.backOff.rest.Store(r)
	return d
}

// resting returns the unit's rest, nil if it has none. Any goroutine.
func (x *unitExt) resting() *rest {
	if p := x.policy(); p != nil && p.backOff != nil {
		return p.backOff.rest.Load()
	}
	return nil
}

// restOrGoOn lets go of a unit whose operation has panicked: the unit lies still if it has a rest,
// and is queued otherwise. The caller is the owner, and no longer afterwards.
func (u *unit) restOrGoOn(w *worker) {
	if x := u.ext.Load(); x != nil {
		if r := x.resting(); r != nil {
			r.begin(w)
			return
		}
	}
	u.goOn(w)
}

// begin has the unit lie still from now on. If the runtime drains or ends, the unit goes on at
// once.
func (r *rest) begin(w *worker) {
	rt := r.unit.rt
	r.timer.wheel, r.timer.target = rt.wheel(), &r.message
	r.timer.begin(w, restVtable, max(0, r.until.Sub(rt.env.now())))
}

// endRest has the unit go on that has lain still. The caller, which has ended the timer, is the
// owner.
func endRest(w *worker, m *message) {
	u := (*rest)(unsafe.Pointer(m)).unit
	u.ext.Load().policy().backOff.rest.Store(nil) // before another owner may set the next one
	u.goOn(w)
}
