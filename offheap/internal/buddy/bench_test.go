package buddy

import (
	"math/rand/v2"
	"testing"
)

// benchmarked is a space of which half is in use, in blocks of all sizes up to 64 KiB that are
// scattered over it.
func benchmarked() *Space {
	s := New(1<<26, 5)
	random := rand.New(rand.NewPCG(1, 1))
	var live []Block
	for used := uint64(0); used < s.Size()/2; {
		order := 5 + uint(min(random.IntN(12), random.IntN(12)))
		offset, _ := s.Alloc(order)
		live = append(live, Block{offset, order, Handed})
		used += 1 << order
	}
	for k := range live {
		s.Free(live[k].Offset, live[k].Order)
		live[k].Order = 5 + uint(min(random.IntN(12), random.IntN(12)))
		live[k].Offset, _ = s.Alloc(live[k].Order)
	}
	return s
}

// BenchmarkPair takes a block of mixed sizes and gives it back.
func BenchmarkPair(b *testing.B) {
	s, order := benchmarked(), uint(0)
	for b.Loop() {
		order = (order + 7) % 12
		if offset, ok := s.Alloc(5 + order); ok {
			s.Free(offset, 5+order)
		}
	}
}

// BenchmarkSome takes 32 blocks at once, as a cache does, and gives them back.
func BenchmarkSome(b *testing.B) {
	s := benchmarked()
	var offsets [32]uint64
	for b.Loop() {
		for _, offset := range offsets[:s.AllocSome(7, offsets[:])] {
			s.Free(offset, 7)
		}
	}
}

// BenchmarkEmpty takes the only block of a space, so that all levels are opened and closed.
func BenchmarkEmpty(b *testing.B) {
	s := New(1<<30, 5)
	for b.Loop() {
		if offset, ok := s.Alloc(5); ok {
			s.Free(offset, 5)
		}
	}
}

// BenchmarkNone asks for a block that does not exist.
func BenchmarkNone(b *testing.B) {
	s := benchmarked()
	for b.Loop() {
		if _, ok := s.Alloc(s.most); ok {
			b.Fatal("half is in use")
		}
	}
}

// BenchmarkPairParallel is BenchmarkPair on all processors.
func BenchmarkPairParallel(b *testing.B) {
	s := benchmarked()
	b.RunParallel(func(p *testing.PB) {
		for order := uint(0); p.Next(); order = (order + 7) % 12 {
			if offset, ok := s.Alloc(5 + order); ok {
				s.Free(offset, 5+order)
			}
		}
	})
}
