package offheap

// Usage says how the memory of an arena is used, in bytes. Live, Cached and Free add up to Size.
type Usage struct {
	Size   int64 // of the arena
	Live   int64 // in blocks that the program has
	Asked  int64 // of Live, the bytes asked for, each block's rounded up to the next 64th of it
	Cached int64 // in caches, ready to be allocated
	Free   int64 // the rest: in the buddy system
	Peak   int64 // the most that Live and Cached were together
	Blocks int64 // the number of blocks that make up Live
	// InternalFragmentation is the part of Live that was not asked for, from 0 to 1: the loss by
	// rounding up to powers of two. It is 0 without live blocks.
	InternalFragmentation float64
}

// Usage returns how the memory is used. It adds up counts of all processors and costs some
// microseconds. Allocations in progress are counted or not. Any goroutine may call it.
func (a *Arena) Usage() Usage {
	a.mustBeMade()
	a.mustBeOpen()
	u := Usage{Size: int64(a.size)}
	asked := int64(0)
	for _, c := range *a.caches.Load() {
		for class := range classes {
			n, order := int64(c.tally.blocks[class].Load()), uint(class)+a.least
			u.Blocks += n
			u.Live += n << order
			asked += int64(c.tally.fills[class].Load()) << order
		}
	}
	u.Asked = asked >> 6
	if u.Live > 0 {
		u.InternalFragmentation = 1 - float64(u.Asked)/float64(u.Live)
	}
	taken := a.taken.Load()
	u.Peak = a.peak.Load()
	u.Cached = max(0, taken-u.Live)
	u.Free = u.Size - u.Live - u.Cached
	return u
}

// Stats is [Usage] in detail.
type Stats struct {
	Usage
	Largest int64        // bytes of the largest free block, as Alloc would find it now
	Touched int64        // bytes of pages that were touched and not trimmed since; no bookkeeping
	Classes []ClassStats // by size, the smallest first
	Tags    []TagStats   // tags with live blocks, tag 0 first
	// ExternalFragmentation is the part of Free that is not in the largest free block, from 0 to 1.
	// It is 0 if Free is.
	ExternalFragmentation float64
}

// ClassStats counts the blocks of one size.
type ClassStats struct {
	Size   int64 // of each, in bytes
	Live   int64
	Cached int64
	Free   int64 // as large as they are, not as they could be divided
}

// TagStats counts the live blocks with one tag.
type TagStats struct {
	Tag    Tag
	Name   string // as in the option TagNames, or ""
	Blocks int64
	Bytes  int64
}

// Stats returns in detail how the memory is used. It looks at every block and every free piece of
// memory between them, some ten nanoseconds each: it is for people and tests, and [Arena.Usage] for
// programs. Calls in progress are counted or not. Any goroutine may call it.
func (a *Arena) Stats() Stats {
	s := Stats{Usage: a.Usage()}
	counts := make([]ClassStats, a.top+1)
	for class := range counts {
		counts[class].Size = int64(a.bytes(uint(class)))
	}
	live := a.live()
	for class := range counts {
		counts[class].Live = live[class]
		counts[class].Cached = max(0, a.space.HandedOut(a.order(uint(class)))-live[class])
	}
	s.Classes, s.Tags = counts, a.byTag()
	s.Touched = int64(a.pages.count() << a.pages.shift)
	a.eachFree(func(class uint) {
		blocks := int64(1)
		if class > a.top {
			blocks, class = blocks<<(class-a.top), a.top
		}
		counts[class].Free += blocks
		s.Largest = max(s.Largest, counts[class].Size)
	})
	if s.Free > 0 {
		s.ExternalFragmentation = 1 - float64(s.Largest)/float64(s.Free)
	}
	return s
}

// byTag returns the live blocks by tag, for the tags that have some.
func (a *Arena) byTag() (tags []TagStats) {
	all := make([]TagStats, Tags)
	for class, n := range a.live() {
		all[0].Blocks += n
		all[0].Bytes += n << (uint(class) + a.least)
	}
	for _, c := range *a.caches.Load() {
		for tag := 1; tag < Tags; tag++ {
			blocks, bytes := int64(c.tally.tags[tag].blocks.Load()), int64(c.tally.tags[tag].units.Load())<<a.least
			all[tag].Blocks += blocks
			all[tag].Bytes += bytes
			all[0].Blocks -= blocks
			all[0].Bytes -= bytes
		}
	}
	for tag, t := range all {
		if t.Blocks != 0 {
			t.Tag, t.Name = Tag(tag), a.nameOf(Tag(tag))
			tags = append(tags, t)
		}
	}
	return tags
}
