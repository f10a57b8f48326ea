package sched

import "github.com/freerun-go/freerun/internal/sync/atomics"

// How processors change hosts. A host without a processor becomes a spare:
//
//	V1  it puts itself into a free place; if there is none, its goroutine ends
//	V2  it sleeps in its parker until it gets a processor, or the scheduler quits
//	V3  if the scheduler quits, the spare takes itself out of its place and ends
//	V4  if it is no longer in its place, a giver has taken it: it waits for the processor
//
// A goroutine that has a processor to give away (the giver), for example because its task leaves:
//
//	T1  takes a spare out of some place, with one swap
//	T2  gives it the processor; if there is no spare, starts a new host with it
//
// A spare is taken out of its place once, by T1 or V3. After T1 it always gets a processor. So V4
// ends, and no processor is given to a goroutine that has ended. T2 does not wait: the spare's
// parker is empty, because one T2 belongs to each T1 and one T1 to each V1.
//
// A place is a pointer that changes from nil to a host and back. A CAS that finds nil, or the host
// that is still the same spare, is right whatever happened in between.
//
// Checked by: TestExploreSpares

const mostSpares = 64

// spares are the places of hosts without a task. There are as many as processors, within limits: a
// task that waits takes a spare, a task that continues leaves one behind, so many more would not
// help.
type spares []atomics.Pointer[Host]

func newSpares(processors int) spares {
	return make(spares, min(max(4, processors), mostSpares))
}

// add puts h into a free place and returns it; nil if there is none (V1).
func (all spares) add(h *Host) (place *atomics.Pointer[Host]) {
	for i := range all {
		if place := &all[i]; place.Load() == nil && place.CompareAndSwap(nil, h) {
			return place
		}
	}
	return nil
}

// take removes a spare; nil if there is none (T1).
func (all spares) take() *Host {
	for i := range all {
		if place := &all[i]; place.Load() != nil {
			if h := place.Swap(nil); h != nil {
				return h
			}
		}
	}
	return nil
}

// standBy waits as a spare for a processor. It returns nil when the goroutine must end.
func (h *Host) standBy() *Processor {
	s := h.scheduler
	place := s.spares.add(h) // V1
	if place == nil {
		return nil
	}
	p, given := h.take(&s.quit)                  // V2
	if !given && !place.CompareAndSwap(h, nil) { // V3
		p, _ = h.take(nil) // V4
	}
	return p
}

// handOff gives p, which has no home, to a spare or to a new host. Any host.
func (s *Scheduler) handOff(p *Processor) {
	if h := s.spares.take(); h != nil { // T1
		h.give(p) // T2
		return
	}
	s.launch(p)
}
