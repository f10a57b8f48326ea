package freerun

import (
	"time"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// handTime is the time of a wheel, and passes only when the test calls strike. It has one alarm, as
// a wheel has.
type handTime struct {
	at     atomics.Int64
	rings  atomics.Int64           // the alarm's instant plus one; 0 if the alarm is not set
	call   atomics.Pointer[func()] // called when the alarm rings
	inline bool                    // spawn calls its function in place of starting a goroutine
}

func (h *handTime) elapsed() int64 { return h.at.Load() }

func (h *handTime) newAlarm(d time.Duration, f func()) alarm {
	h.call.Store(&f)
	h.Reset(d)
	return h
}

func (h *handTime) Reset(d time.Duration) bool { return h.rings.Swap(h.at.Load()+int64(d)+1) != 0 }

func (h *handTime) Stop() bool { return h.rings.Swap(0) != 0 }

func (h *handTime) spawn(f func()) {
	if h.inline {
		f()
	} else {
		go f()
	}
}

// strike lets time pass until the alarm rings, and reports whether the alarm was set.
func (h *handTime) strike() bool {
	rings := h.rings.Load()
	if rings == 0 || !h.rings.CompareAndSwap(rings, 0) {
		return false
	}
	h.at.Store(max(h.at.Load(), rings-1))
	(*h.call.Load())()
	return true
}

// handWheels replaces the wheels of a runtime by one wheel, and returns that wheel's time.
func handWheels(rt *Runtime) *handTime {
	h := &handTime{}
	w := newTimerWheel(rt, h)
	for i := range rt.wheels {
		rt.wheels[i].Store(w)
	}
	return h
}
