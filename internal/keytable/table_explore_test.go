//go:build explore

package keytable

import (
	"strings"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/internal/verify/linear"
)

// A play is a program over a table that has key 0 and key 4, whose hashes share a slot, and key 1,
// which shares the slot of a smaller level with them.
type play struct {
	more    int    // where the entries move: see begins
	threads string // the threads, separated by blanks; each is letters, which are calls
	test    func(*Table[int]) *hooks[int]
}

// Letters are calls with key 0, and digits the key of the calls after them: l loads, s loads or
// stores, r replaces what it loads, d deletes what it loads, g grows, h halves, a walks through
// all, n asks for the number.
func (p play) program(j *judge) func(*explore.Run) {
	return func(r *explore.Run) {
		table := &Table[int]{}
		table.HashBy(spread)
		var began contents
		for _, key := range []int{0, 1, 4} {
			began[key] = key + 1
			table.LoadOrStore(&object(key, key+1).Entry)
		}
		begins(table, p.more)
		if p.test != nil {
			table.test = p.test(table)
		}
		threads := strings.Fields(p.threads)
		recorder := linear.NewRecorder(len(threads) + 1)
		number := 10
		for i, calls := range threads {
			s := scribe{table, recorder.Client(i)}
			first := number
			number += len(calls)
			r.Go(calls, func() {
				key := 0
				for at, letter := range calls {
					fresh := object(key, first+at)
					switch letter {
					case 'l':
						s.load(key)
					case 's':
						s.loadOrStore(fresh)
					case 'r':
						if e := s.load(key); e != nil {
							s.replace(e, fresh)
						}
					case 'd':
						if e := s.load(key); e != nil {
							s.delete(e)
						}
					case 'g', 'h':
						l := table.current.Load()
						if letter == 'g' {
							table.resize(l, 64-l.shift+1)
						} else if 64-l.shift > fewestBits {
							table.resize(l, 64-l.shift-1)
						}
					case 'a':
						walk(r, table)
					case 'n':
						if n := table.Len(); n > mostKeys {
							r.Failf("Len is %d", n)
						}
					default:
						key = int(letter - '0')
					}
				}
				s.client.Done()
			})
		}
		r.After(func() {
			s := scribe{table, recorder.Client(len(threads))}
			there := 0
			for key := range mostKeys {
				if s.load(key) != nil {
					there++
				}
			}
			s.client.Done()
			if err := j.check(began, recorder.History()); err != nil {
				r.Failf("%v", err)
			}
			if n := walk(r, table); n != there || table.Len() != there {
				r.Failf("%d keys are there, All has %d and Len is %d", there, n, table.Len())
			}
		})
	}
}

// walk goes through all entries and returns their number.
func walk(r *explore.Run, table *Table[int]) int {
	var count [mostKeys]int
	n := 0
	for e := range table.All {
		n++
		if count[e.Key]++; count[e.Key] > 1 {
			r.Failf("All has key %d twice", e.Key)
		}
	}
	return n
}

// TestExploreTable has two or three threads share a key, or a slot, while all moves to a level
// twice or half as large.
func TestExploreTable(t *testing.T) {
	for _, threads := range []string{"s d", "d s", "r d", "dl 4d", "sl d", "ds l", "4s dl", "1d s", "d ll", "r l", "d 1d", "2s 1d", "dn n"} {
		t.Run(threads, func(t *testing.T) {
			for _, more := range []int{-1, 0, 1} {
				var j judge
				explore.Exhaustive(t, 2, play{more: more, threads: threads}.program(&j))
			}
		})
	}
	for _, threads := range []string{"d s l", "r d s", "d 4d 1d"} {
		t.Run(threads, func(t *testing.T) {
			for _, more := range []int{-1, 1} {
				var j judge
				explore.Exhaustive(t, 1, play{more: more, threads: threads}.program(&j))
			}
		})
	}
}

// TestExploreTableBegins begins to move while others are under way.
func TestExploreTableBegins(t *testing.T) {
	for _, threads := range []string{"g ds", "h ds", "g4s dl", "h4s dl", "g1d d"} {
		t.Run(threads, func(t *testing.T) {
			var j judge
			explore.Exhaustive(t, 2, play{threads: threads}.program(&j))
		})
	}
}

// TestExploreTableAll walks beside others, and beside a move.
func TestExploreTableAll(t *testing.T) {
	for _, threads := range []string{"a ds", "a 4dd", "a r"} {
		t.Run(threads, func(t *testing.T) {
			for _, more := range []int{-1, 0, 1} {
				var j judge
				explore.Exhaustive(t, 2, play{more: more, threads: threads}.program(&j))
			}
		})
	}
}

// TestExploreTableRandom has larger programs, of several moves.
func TestExploreTableRandom(t *testing.T) {
	for _, threads := range []string{"gdsgr4s rdsl4d dshsl", "hds4dgs gshds rlhdsl", "4d1dds gsl1s lllal"} {
		t.Run(threads, func(t *testing.T) {
			var j judge
			explore.Random(t, 3000, play{more: 1, threads: threads}.program(&j))
		})
	}
}

// TestExploreTableFrozen stops each thread for good at each of its steps: the others go on, and so
// does the move.
func TestExploreTableFrozen(t *testing.T) {
	for _, threads := range []string{"ds r4s", "gds l4d", "hds sa", "gs hd r"} {
		t.Run(threads, func(t *testing.T) {
			for _, more := range []int{-1, 1} {
				var j judge
				explore.Freeze(t, play{more: more, threads: threads}.program(&j))
			}
		})
	}
}
