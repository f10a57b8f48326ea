package main

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	callers = 8                    // goroutines
	pause   = 2 * time.Millisecond // of each, between its calls
)

// attempt is a call, or one of the calls with an identity.
type attempt struct {
	Unit       int
	Begin, End int64 // in Unix nanoseconds
	OK         bool
}

// found has the results of calls with identities: Answered and Open are identities, with an
// answer and without one at the end. Lost has when the calls began that were answered, and that no
// unit has; Doubled counts what a unit has more than once, Unread the units that say nothing.
type found struct {
	Attempts []attempt `json:",omitempty"`
	Answered int
	Open     int
	Lost     []int64 `json:",omitempty"`
	Doubled  int
	Unread   int
	Error    string `json:",omitempty"` // the last one
}

// storm calls units for a while. A call that fails, or has no answer in time, is made again, with
// the same identity.
func storm(b *book, d, most time.Duration) (f found) {
	var mu sync.Mutex
	var all sync.WaitGroup
	answered := make([]map[string]int64, ledgers) // by unit: when the calls began
	for unit := range answered {
		answered[unit] = map[string]int64{}
	}
	end := time.Now().Add(d)
	for c := range callers {
		all.Go(func() {
			for n := 0; time.Now().Before(end); n++ {
				unit, id := (c+n*callers)%ledgers, fmt.Sprint(c, ".", n)
				for ok := false; !ok; time.Sleep(pause) {
					if time.Now().After(end) {
						mu.Lock()
						f.Open++
						mu.Unlock()
						break
					}
					a := attempt{Unit: unit, Begin: time.Now().UnixNano()}
					err := b.note(unit, id, most)
					a.End, a.OK = time.Now().UnixNano(), err == nil
					ok = a.OK
					mu.Lock()
					f.Attempts = append(f.Attempts, a)
					if ok {
						answered[unit][id] = a.Begin
					} else {
						f.Error = err.Error()
					}
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	for unit := range ledgers {
		has, err := b.read(unit)
		if err != nil {
			f.Unread++
			f.Error = err.Error()
			continue
		}
		f.compare(answered[unit], has)
	}
	return f
}

// compare holds what was answered against what a unit has.
func (f *found) compare(answered map[string]int64, has []string) {
	f.Answered += len(answered)
	times := map[string]int{}
	for _, id := range has {
		if times[id]++; times[id] == 2 {
			f.Doubled++
		}
	}
	for id, began := range answered {
		if times[id] == 0 {
			f.Lost = append(f.Lost, began)
		}
	}
}

// failed is how many attempts had no answer.
func (f *found) failed() (n int) {
	for _, a := range f.Attempts {
		if !a.OK {
			n++
		}
	}
	return n
}

// recovery returns how long after a moment the first call was answered that began after it, and
// the first one of the unit that was the last; negative where there was none.
func (f *found) recovery(killed int64) (first, last time.Duration) {
	ends := map[int]int64{}
	for _, a := range f.Attempts {
		if e, has := ends[a.Unit]; a.OK && a.Begin >= killed && (!has || a.End < e) {
			ends[a.Unit] = a.End
		}
	}
	var all []int64
	for _, e := range ends {
		all = append(all, e-killed)
	}
	if len(all) == 0 {
		return -1, -1
	}
	first, last = time.Duration(slices.Min(all)), time.Duration(slices.Max(all))
	if len(all) < ledgers {
		last = -1
	}
	return first, last
}
