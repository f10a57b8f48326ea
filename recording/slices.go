package recording

import (
	"cmp"
	"slices"
)

// Slice is a stretch of time in which a processor did one thing.
type Slice struct {
	Begin, End int64 // nanoseconds since the start
	Message    uint32
	Operation  uint32
	Unit       uint32
	Processor  int16 // or Outside
	Depth      int16 // number of slices around it on the same processor
	// Kind is the kind of its first event: KindRunBegin, KindBranchBegin, KindSwitchIn,
	// KindSearchBegin, KindPark or KindBlockBegin.
	Kind Kind
}

// Slices returns what each processor did, in order of the begin. What had begun before the
// recording begins with it; what had not ended ends with it. A slice of KindBlockBegin is Outside,
// and several of those may overlap. All other slices of one processor are nested.
func (t *Trace) Slices() []Slice {
	var all []Slice
	open := map[int16][]int{}   // by processor: indices of the slices that have not ended
	blocked := map[uint32]int{} // by message
	since := map[int16]int64{}  // by processor: the time from which on its events are known
	end := func(i int, at int64) { all[i].End = at }
	for i := range t.Events {
		e := &t.Events[i]
		p := e.Processor
		switch e.Kind {
		case KindRunBegin, KindBranchBegin, KindSwitchIn, KindSearchBegin, KindPark:
			if p == Outside {
				continue
			}
			all = append(all, Slice{Begin: e.Time, End: t.End, Message: e.Message, Operation: e.Operation, Unit: e.Unit, Processor: p, Depth: int16(len(open[p])), Kind: e.Kind})
			open[p] = append(open[p], len(all)-1)
		case KindRunEnd, KindBranchEnd, KindSwitchOut, KindSearchEnd, KindUnpark:
			if p == Outside {
				continue
			}
			if n := len(open[p]); n > 0 && ends(e.Kind, all[open[p][n-1]].Kind) {
				end(open[p][n-1], e.Time)
				open[p] = open[p][:n-1]
			} else if n == 0 {
				all = append(all, Slice{Begin: since[p], End: e.Time, Message: e.Message, Operation: e.Operation, Unit: e.Unit, Processor: p, Kind: begins(e.Kind)})
			}
		case KindBlockBegin:
			if n := len(open[p]); n > 0 {
				end(open[p][n-1], e.Time)
				open[p] = open[p][:n-1]
			}
			all = append(all, Slice{Begin: e.Time, End: t.End, Message: e.Message, Operation: e.Operation, Unit: e.Unit, Processor: Outside, Kind: KindBlockBegin})
			blocked[e.Message] = len(all) - 1
		case KindBlockEnd:
			if i, ok := blocked[e.Message]; ok {
				end(i, e.Time)
				delete(blocked, e.Message)
			}
		case KindLost:
			for _, i := range open[p] {
				end(i, e.Time)
			}
			open[p], since[p] = open[p][:0], e.Time
		}
	}
	sortByBegin(all)
	return all
}

// ends reports whether an event of kind k ends a slice that begun began. A run that began with
// KindRunBegin may end with KindSwitchOut, if the message sleeps in a join, and the other way
// round.
func ends(k, begun Kind) bool {
	if k == KindRunEnd || k == KindSwitchOut {
		return begun == KindRunBegin || begun == KindSwitchIn
	}
	return begun == begins(k)
}

// begins returns the kind that begins what an event of kind k ends.
func begins(k Kind) Kind {
	if k == KindUnpark {
		return KindPark
	}
	return k - 1
}

// sortByBegin sorts slices by their begin; an inner slice comes after the outer one.
func sortByBegin(all []Slice) {
	slices.SortStableFunc(all, func(a, b Slice) int {
		return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.Depth, b.Depth))
	})
}
