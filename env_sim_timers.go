package freerun

import (
	"cmp"
	"slices"
	"time"

	"github.com/freerun-go/freerun/internal/promise"
	"github.com/freerun-go/freerun/internal/timerwheel"
	"github.com/freerun-go/freerun/internal/vclock"
)

// simTimer is the entry of a simulation for a timer that has not ended.
type simTimer struct {
	nth   uint64        // its number in the order in which timers began
	alarm *vclock.Timer // nil until the timer is armed
}

func (m *simulation) afterFunc(d time.Duration, f func()) (stop func() bool) {
	t := m.clock.AfterFunc(d, f)
	return func() bool { return m.clock.Stop(t) }
}

func (m *simulation) register(t *Timer) {
	m.begunTimers++
	m.timers.Store(t, &simTimer{nth: m.begunTimers})
}

func (m *simulation) known(t *Timer) *simTimer {
	x, _ := m.timers.Load(t)
	return x.(*simTimer)
}

func (m *simulation) arm(t *Timer, d time.Duration, from uint32) {
	if t.entry.State.CompareAndSwap(from, timerwheel.Set) {
		m.known(t).alarm = m.clock.AfterFunc(d, func() { m.ring(t) })
	}
}

func (m *simulation) disarm(t *Timer) { m.clock.Stop(m.known(t).alarm) }

// ring fires t. The virtual clock calls it.
func (m *simulation) ring(t *Timer) {
	m.rt.firing.Add(1)
	defer m.rt.fired()
	t.fire(m.rt.detachedWorker())
}

// endTimers fails the timers that openTimers returns.
func (m *simulation) endTimers(s *Scope, why *promise.Failure) {
	for _, t := range m.openTimers(s) {
		t.end(why)
	}
}

// openTimers returns the timers that have not ended, in the order in which they began. With a
// non-nil s it returns only the timers of s and of the scopes below.
func (m *simulation) openTimers(s *Scope) (open []*Timer) {
	nth := map[*Timer]uint64{}
	m.timers.Range(func(key, x any) bool {
		if t := key.(*Timer); s == nil || t.scope.isIn(s) {
			open = append(open, t)
			nth[t] = x.(*simTimer).nth
		}
		return true
	})
	slices.SortFunc(open, func(a, b *Timer) int { return cmp.Compare(nth[a], nth[b]) })
	return open
}
