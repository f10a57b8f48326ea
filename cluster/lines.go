package cluster

import (
	"cmp"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// lines are the queues of units to which a delivery is tried again. They are rare: most units have
// none.
type lines struct {
	held   atomic.Int32 // queues, so that others need not look
	mu     sync.Mutex
	queues map[string]*queue // by unit
}

// queue holds the deliveries to one unit, once the first has failed.
type queue struct {
	// list is in the order of the numbers. The first is under way, or a timer is set for it; the
	// others come after it, some of them on their way to find that out.
	list  []*delivery
	pause time.Duration
}

const (
	leastPause = 10 * time.Millisecond
	mostPause  = 10 * time.Second
)

// warns logs, once, that a delivery waits until someone mends the record of its unit.
func (d *delivery) warns(err error) {
	if d.warned || !errors.Is(err, ErrStateLost) {
		return
	}
	d.warned = true
	where := []any{"unit", d.Key, "kind", d.to.given, "error", err}
	if len(d.Units) > 0 {
		var keys []string
		for _, unit := range d.Units {
			_, key, _ := strings.Cut(unit, "\x00")
			keys = append(keys, key)
		}
		where[0], where[1] = "units", keys
	}
	if d.logged != nil {
		where = append(where, "partition", d.logged.part.p, "entry", d.number)
	}
	slog.Error("cluster: what the unit is told waits, since its record is damaged", where...)
}

// mustWait reports whether a delivery, which is about to be sent, or to run, comes after one to the
// same unit that is tried again. Then it is in the queue of the unit. One that is in the queue and
// comes first goes on: numbers are given when a write begins, and one with a later number may have
// been stored, and have failed, before.
func (l *lines) mustWait(d *delivery) bool {
	if l.held.Load() == 0 {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if d.isOver() {
		return true
	}
	q := l.queues[d.unit()]
	if q == nil {
		return false
	}
	q.put(d)
	return !q.isFirst(d)
}

// again puts a delivery that has failed into the queue of its unit, and returns whether it is the
// first there, and for how long it is to wait then: longer each time, if that is asked for.
func (l *lines) again(d *delivery, longer bool) (pause time.Duration, first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if d.isOver() {
		return 0, false
	}
	q := l.queueFor(d)
	q.put(d)
	if pause, first = q.pause, q.isFirst(d); first && longer {
		q.pause = min(2*q.pause, mostPause)
	}
	return pause, first
}

// isFirst reports whether a delivery is the first of the queue of its unit.
func (l *lines) isFirst(d *delivery) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.queues[d.unit()].isFirst(d)
}

// next removes a delivery that has had its effect, and returns the one that is to follow, if any:
// none if one with an earlier number was stored after it, and put before it, as that goes on.
func (l *lines) next(d *delivery) (following *delivery) {
	if l.held.Load() == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.queues[d.unit()]
	if q == nil {
		return nil
	}
	at, there := q.find(d)
	if !there {
		return nil
	}
	q.list, q.pause = slices.Delete(q.list, at, at+1), leastPause
	switch {
	case len(q.list) == 0:
		delete(l.queues, d.unit())
		l.held.Add(-1)
		return nil
	case at > 0 || q.list[0].kept:
		return nil
	}
	return q.list[0]
}

// keep puts a delivery that is left into the queue of its unit, where it waits for its note.
func (l *lines) keep(d *delivery) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d.kept = true
	l.queueFor(d).put(d)
}

// free ends the wait of deliveries that were kept, and returns those that come first now. The
// others come in their turn.
func (l *lines) free(kept []*delivery) (firsts []*delivery) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range kept {
		d.kept = false
		if l.queues[d.unit()].isFirst(d) {
			firsts = append(firsts, d)
		}
	}
	return firsts
}

// drop drops all deliveries of a partition: its owner has ended. Later ones of that owner come into
// no queue.
func (l *lines) drop(pt *part) (dropped []*delivery) {
	if l.held.Load() == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for unit, q := range l.queues {
		if q.list[0].logged.part == pt {
			dropped = append(dropped, q.list...)
			delete(l.queues, unit)
			l.held.Add(-1)
		}
	}
	return dropped
}

// count counts the deliveries that wait.
func (l *lines) count() (n int) {
	if l.held.Load() == 0 {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, q := range l.queues {
		n += len(q.list)
	}
	return n
}

// queueFor returns the queue of a delivery's unit, and makes it if there is none. The caller holds
// mu.
func (l *lines) queueFor(d *delivery) *queue {
	q := l.queues[d.unit()]
	if q == nil {
		q = &queue{pause: leastPause}
		l.queues[d.unit()] = q
		l.held.Add(1)
	}
	return q
}

// put puts a delivery into its place in the queue, unless it is there.
func (q *queue) put(d *delivery) {
	if at, there := q.find(d); !there {
		q.list = slices.Insert(q.list, at, d)
	}
}

// find returns the place of a delivery in the queue.
func (q *queue) find(d *delivery) (at int, there bool) {
	return slices.BinarySearchFunc(q.list, d, func(a, b *delivery) int { return cmp.Compare(a.number, b.number) })
}

// isFirst reports whether a delivery is the first of a queue, which may be nil.
func (q *queue) isFirst(d *delivery) bool { return q != nil && q.list[0] == d }
