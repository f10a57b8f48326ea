package rivals

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"
)

// mix returns an order from 5 to 16, small ones more often.
func mix(r *rand.Rand) uint { return 5 + uint(min(r.IntN(12), r.IntN(12))) }

const most = 28

// fill takes blocks of mixed orders until that part of the space is taken, and gives every other one back and takes again so that what is free is scattered.
func fill(s space, r *rand.Rand, percent int) (live []piece) {
	used, want := uint64(0), uint64(1)<<most/100*uint64(percent)
	for used < want {
		order := mix(r)
		o, ok := s.Alloc(order)
		if !ok {
			break
		}
		used += 1 << order
		live = append(live, piece{o, order})
	}
	for range len(live) {
		k := r.IntN(len(live))
		s.Free(live[k].offset, live[k].order)
		order := mix(r)
		o, ok := s.Alloc(order)
		if !ok {
			live = slices.Delete(live, k, k+1)
			continue
		}
		live[k] = piece{o, order}
	}
	return live
}

type load struct {
	name string
	run  func(s space, g, n int, r *rand.Rand, pass []chan []piece) (ops int)
}

var loads = []load{
	{"pairs", func(s space, g, n int, r *rand.Rand, _ []chan []piece) int {
		for range n {
			order := mix(r)
			if o, ok := s.Alloc(order); ok {
				s.Free(o, order)
			}
		}
		return n
	}},
	{"pairs of 1 KiB", func(s space, g, n int, r *rand.Rand, _ []chan []piece) int {
		for range n {
			if o, ok := s.Alloc(10); ok {
				s.Free(o, 10)
			}
		}
		return n
	}},
	{"batches of 64", func(s space, g, n int, r *rand.Rand, _ []chan []piece) int {
		var live [64]piece
		for range n / 64 {
			got := live[:0]
			for range 64 {
				order := mix(r)
				if o, ok := s.Alloc(order); ok {
					got = append(got, piece{o, order})
				}
			}
			for _, b := range got {
				s.Free(b.offset, b.order)
			}
		}
		return n
	}},
	{"foreign frees", func(s space, g, n int, r *rand.Rand, pass []chan []piece) int {
		for range n / 64 {
			got := make([]piece, 0, 64)
			for range 64 {
				order := mix(r)
				if o, ok := s.Alloc(order); ok {
					got = append(got, piece{o, order})
				}
			}
			pass[g] <- got
			for _, b := range <-pass[(g+1)%len(pass)] {
				s.Free(b.offset, b.order)
			}
		}
		return n
	}},
}

// nearlyFull fills a space with blocks of one order, gives one of them back, and takes it again, from another place each time. It returns ns for a pair.
func nearlyFull(s space, n int, r *rand.Rand) float64 {
	const order = 9
	var live []uint64
	for {
		o, ok := s.Alloc(order)
		if !ok {
			break
		}
		live = append(live, o)
	}
	begin := time.Now()
	for range n {
		k := r.IntN(len(live))
		s.Free(live[k], order)
		o, ok := s.Alloc(order)
		if !ok {
			return -1
		}
		live[k] = o
	}
	return float64(time.Since(begin)) / float64(n)
}

// TestNearlyFull prints how long it takes to find the only free block.
func TestNearlyFull(t *testing.T) {
	if os.Getenv("FREERUN_MEASURE") == "" {
		t.Skip("FREERUN_MEASURE is not set")
	}
	for round := range 3 {
		for _, d := range designs {
			n := 1 << 14
			if d.name == "nbbs" || d.name == "llfree" {
				n = 200
			}
			fmt.Printf("nearly full, round %d: %-8s %12.1f ns\n", round, d.name, nearlyFull(d.make(most, 5), n, rand.New(rand.NewPCG(uint64(round), 1))))
		}
	}
}

// TestFragmentation prints which part of what is free after a long time of random traffic, half of the space being in use, can be had in blocks of 64 KiB.
func TestFragmentation(t *testing.T) {
	if os.Getenv("FREERUN_MEASURE") == "" {
		t.Skip("FREERUN_MEASURE is not set")
	}
	for round := range 2 {
		for _, d := range designs {
			r := rand.New(rand.NewPCG(uint64(round), 1))
			s := d.make(26, 5)
			var live []piece
			used := uint64(0)
			for range 500_000 {
				if used < 1<<25 {
					order := mix(r)
					if o, ok := s.Alloc(order); ok {
						live = append(live, piece{o, order})
						used += 1 << order
					}
					continue
				}
				for range 1 + r.IntN(200) {
					k := r.IntN(len(live))
					s.Free(live[k].offset, live[k].order)
					used -= 1 << live[k].order
					live[k] = live[len(live)-1]
					live = live[:len(live)-1]
				}
			}
			n := uint64(0)
			for {
				if _, ok := s.Alloc(16); !ok {
					break
				}
				n++
			}
			fmt.Printf("fragmentation, round %d: %-8s %5.1f%% of %d bytes\n", round, d.name, float64(n<<16)/float64(1<<26-used)*100, 1<<26-used)
		}
	}
}

// spent returns the processor time of the process.
func spent() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestMeasure prints the figures of the decision record. FREERUN_MEASURE is the number of rounds.
func TestMeasure(t *testing.T) {
	rounds := 0
	fmt.Sscan(os.Getenv("FREERUN_MEASURE"), &rounds)
	if rounds == 0 {
		t.Skip("FREERUN_MEASURE is not set")
	}
	results := map[string][]float64{}
	key := func(load string, percent, goroutines int, design string) string {
		return fmt.Sprintf("%s %d%% %d %s", load, percent, goroutines, design)
	}
	for round := range rounds {
		for _, percent := range []int{10, 50, 95} {
			var spaces []space
			for _, d := range designs {
				s := d.make(most, 5)
				fill(s, rand.New(rand.NewPCG(uint64(round), 1)), percent)
				spaces = append(spaces, s)
			}
			for _, l := range loads {
				for _, goroutines := range []int{1, 2} {
					for i, d := range designs {
						n := 1 << 15
						if d.name == "nbbs" && percent > 50 {
							n = 1 << 9
						}
						pass := make([]chan []piece, goroutines)
						for g := range pass {
							pass[g] = make(chan []piece, 4)
						}
						var all sync.WaitGroup
						begin, cpu := time.Now(), spent()
						for g := range goroutines {
							all.Go(func() {
								l.run(spaces[i], g, n, rand.New(rand.NewPCG(uint64(g), uint64(round))), pass)
							})
						}
						all.Wait()
						k := key(l.name, percent, goroutines, d.name)
						elapsed := time.Since(begin)
						if os.Getenv("FREERUN_CPU") != "" {
							elapsed = (spent() - cpu) / time.Duration(goroutines)
						}
						results[k] = append(results[k], float64(elapsed)/float64(n))
					}
				}
			}
		}
	}
	fmt.Printf("%-16s %4s %2s", "load", "fill", "g")
	for _, d := range designs {
		fmt.Printf(" %12s", d.name)
	}
	fmt.Println("  (median ns for an alloc and a free on each goroutine)")
	for _, l := range loads {
		for _, percent := range []int{10, 50, 95} {
			for _, goroutines := range []int{1, 2} {
				fmt.Printf("%-16s %3d%% %2d", l.name, percent, goroutines)
				for _, d := range designs {
					v := results[key(l.name, percent, goroutines, d.name)]
					slices.Sort(v)
					fmt.Printf(" %12.1f", v[len(v)/2])
				}
				fmt.Println()
			}
		}
	}
}
