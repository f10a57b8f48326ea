package cluster

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/layout"
)

// Sketch:     a unit with timers has a wake in the store, and the node has a wake for it in memory,
//             with a timer of the runtime. The write of a new one sets that timer anew
//             the timer rings: the unit gets a turn, which leads to a write with a new wake, or
//             without one. If that fails it rings again after a while
// Invariants: W3 A wake that is not in the map any more does nothing.
//             W4 The writes of one unit end one after another: so do the calls of set for it.
//             W5 What is read from the store at the start yields to what a write has set. If that
//             write has removed the wake, the unit is woken for nothing, and its wake is removed
//             again: of a unit whose wake is not read yet a write may leave it.

// wakes has when the units with timers are to be woken.
type wakes struct {
	node  *Node
	units sync.Map // string, the key of the record → *wake
}

// wake is when a unit is to be woken.
type wake struct {
	of     *kind
	record string // the key of the unit's record
	time   time.Time
	pause  atomic.Int64 // before it rings again
	timer  atomic.Pointer[freerun.Timer]
}

// begin checks the wakes that are stored, and then reads them while the units go on: a start need
// not wait for that.
func (w *wakes) begin() error {
	n, any := w.node, false
	err := n.engine.Scan([]byte(layout.Wake), nil, func(key, _ []byte) error {
		any = true
		_, _, err := w.unitOf(key)
		return err
	})
	if err == nil && any {
		blocks.SendAfter(n.rt.Context(), 0, w.read)
	}
	return err
}

// read sets the wakes that are stored, unless a write of the unit came before (W5). It waits for
// the store.
func (w *wakes) read() {
	err := w.node.engine.Scan([]byte(layout.Wake), nil, w.found)
	if err != nil && !isOver(err) {
		blocks.SendAfter(w.node.rt.Context(), mostPause, w.read)
	}
}

// found sets a wake that is stored.
func (w *wakes) found(key, value []byte) error {
	k, record, err := w.unitOf(key)
	if err != nil {
		return err
	}
	at, err := layout.DecodeWake(value)
	if err != nil {
		at = w.node.rt.Now() // the unit's timers say when
	}
	e := &wake{of: k, record: record, time: at}
	if _, later := w.units.LoadOrStore(record, e); !later {
		w.start(e, at.Sub(w.node.rt.Now()))
	}
	return nil
}

// unitOf returns the kind of the unit that a wake is about, and the key of its record.
func (w *wakes) unitOf(wakeKey []byte) (k *kind, record string, err error) {
	record = string(layout.RecordOf(wakeKey))
	given, _, err := layout.UnitOf([]byte(record))
	if err != nil {
		return nil, "", err
	}
	if k = w.node.stored[given]; k == nil {
		return nil, "", fmt.Errorf("cluster: the store has timers of kind %s, which this program does not have", given)
	}
	return k, record, nil
}

// at returns when the unit is to be woken whose record has a key, zero for others.
func (w *wakes) at(record []byte) (at time.Time) {
	if e, there := w.units.Load(string(record)); there {
		return e.(*wake).time
	}
	return at
}

// set has the unit be woken at a time, and not before; at no time if that is zero.
func (w *wakes) set(k *kind, record string, at time.Time) {
	if at.IsZero() {
		if old, there := w.units.LoadAndDelete(record); there {
			old.(*wake).stop()
		}
		return
	}
	e := &wake{of: k, record: record, time: at}
	if old, there := w.units.Swap(record, e); there {
		old.(*wake).stop()
	}
	w.start(e, at.Sub(w.node.rt.Now()))
}

// start has the wake ring after d.
func (w *wakes) start(e *wake, d time.Duration) {
	_, t := later.SendAfter(w.node.rt.Context(), d, func() { w.ring(e) })
	e.timer.Store(t)
}

// stop saves the wake from ringing for nothing, if it can.
func (e *wake) stop() {
	if t := e.timer.Load(); t != nil {
		t.Stop()
	}
}

// isCurrent reports whether there is no later wake of the unit.
func (w *wakes) isCurrent(e *wake) bool {
	now, _ := w.units.Load(e.record)
	return now == e
}

// ring gives the unit of a wake a turn.
func (w *wakes) ring(e *wake) {
	if !w.isCurrent(e) {
		return
	}
	// Another clock than that of the timer: it may have been set back.
	if d := e.time.Sub(w.node.rt.Now()); d > 0 {
		w.start(e, d)
		return
	}
	if w.node.shared != nil {
		w.ringShared(e)
		return
	}
	_, key, err := layout.UnitOf([]byte(e.record))
	if err == nil {
		err = w.ringAt(e, key)
	}
	if err != nil {
		w.failed(e, err)
	}
}

func (w *wakes) ringAt(e *wake, key string) error {
	u, err := seam.Find(w.node.rt, e.of.name, func(at any) error { return e.of.readKey(key, at) })
	if err != nil {
		return err
	}
	u.Run(func(_ *freerun.Context, state any) {
		if w.isCurrent(e) {
			u.Local().(*cell).ring(e, state)
		}
	}, func(err error) {
		w.failed(e, err) // the state cannot be loaded
	})
	return nil
}

// failed has a wake ring again after a while, or when there may be room in the unit's kind, unless
// this process can do nothing more.
func (w *wakes) failed(e *wake, err error) {
	switch {
	case isOver(err):
	case isCrowded(err):
		e.of.crowd.add(w.node.rt, func() { w.ring(e) })
	default:
		w.again(e)
	}
}

// again has a wake ring again after a while.
func (w *wakes) again(e *wake) {
	pause := min(max(time.Duration(e.pause.Load()), leastPause), mostPause)
	e.pause.Store(int64(2 * pause))
	w.start(e, pause)
}
