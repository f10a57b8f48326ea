package simulate

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"
)

// recorder is the schedule of a runtime with one processor that measures the time of each piece, of
// the processor and of goroutines outside.
type recorder struct {
	names
	turns   progress
	present []presentPiece // of the processor, and then of the goroutines outside
	running int
	inRow   int       // how often running was chosen in a row
	began   time.Time // when the piece under way began; zero before the first
	// passed is the time that the program reads: what its pieces took, and what passed when nothing
	// was left to run. Timers fire by it.
	passed  time.Duration
	idled   time.Duration // how much of it passed when nothing was left to run
	samples map[piece]*samples
	begin   func(f func()) (wait func() error) // starts a goroutine outside
	end     func()                             // abandons those that have not ended; nil before New
	refused error                              // why the pieces are of no use; nil if they are
}

// mostInRow is how often one of several is chosen in a row: with fewer, each piece would begin with
// what the one before has left in the caches.
const mostInRow = 256

func newRecorder() *recorder {
	return &recorder{names: newNames(), samples: map[piece]*samples{}, present: make([]presentPiece, 1)}
}

func (r *recorder) Choose(ready []int) int {
	now := time.Now()
	r.turns.take()
	l := &r.present[r.running]
	if !r.began.IsZero() {
		r.pass(now.Sub(r.began))
	}
	if !r.began.IsZero() && !l.idle() {
		s := r.samples[l.piece]
		if s == nil {
			s = new(samples)
			r.samples[l.piece] = s
		}
		s.add(float32(now.Sub(r.began)))
	}
	l.turn()
	i := r.next(ready)
	r.began = time.Now()
	return i
}

// Idle lets time pass when nothing is left to run.
func (r *recorder) Idle(at time.Duration) {
	d := max(0, at-r.passed)
	r.pass(d)
	r.idled += d
}

// pass adds to the time, up to the last instant there is.
func (r *recorder) pass(d time.Duration) { r.passed += min(d, math.MaxInt64-r.passed) }

// next lets the running one go on, or the next one after it.
func (r *recorder) next(ready []int) int {
	i, can := slices.BinarySearch(ready, r.running)
	switch {
	case can && (r.inRow < mostInRow || len(ready) == 1):
		r.inRow++
		return i
	case can:
		i++
	}
	i %= len(ready)
	r.running, r.inRow = ready[i], 0
	for len(r.present) <= r.running {
		r.add()
	}
	return i
}

// add makes room for one more goroutine outside.
func (r *recorder) add() {
	r.present = append(r.present, presentPiece{piece: piece{operation: r.of(outsideName)}})
}

func (r *recorder) Outside(start func(f func()) (wait func() error), abandon func()) bool {
	r.begin, r.end = start, abandon
	r.add()
	r.running = 1
	return true
}

func (r *recorder) start(f func()) (wait func() error) { return r.begin(f) }

func (r *recorder) abandon() {
	if r.end != nil {
		r.end()
	}
}

func (r *recorder) progress() *progress { return &r.turns }

func (r *recorder) Began(n int, operation string) {
	l := &r.present[n]
	l.resting = false
	l.operation, l.from = r.of(operation), begun
}

func (r *recorder) Now() time.Duration     { return r.passed }
func (r *recorder) Refuse(why error)       { r.refused = cmp.Or(r.refused, why) }
func (r *recorder) Enter()                 {}
func (r *recorder) On(int, any, any, bool) {}
func (r *recorder) Drops(any)              {}
func (r *recorder) Sends(n int, _, _ any)  { r.present[n].to = sending }
func (r *recorder) Ends(n int)             { r.present[n].to = ending }
func (r *recorder) Forks(n int)            { r.present[n].to = forking }
func (r *recorder) Rests(n int)            { r.present[n].resting = true }
func (r *recorder) Stole(int, int, uint64) {}

// pieces returns what was measured, always in the same order.
func (r *recorder) pieces() []Piece {
	var all []Piece
	for _, p := range slices.SortedFunc(maps.Keys(r.samples), r.compare) {
		s := r.samples[p]
		all = append(all, Piece{
			Operation: r.all[p.operation], From: p.from.String(), To: p.to.String(), Count: s.n, Cost: s.mean(),
		})
	}
	return all
}

// mostSamples limits the samples of a kind that are kept.
const mostSamples = 1 << 16

// samples are the times of the pieces of one kind: of each piece, or of many pieces every second,
// fourth and so on.
type samples struct {
	n      int
	stride int
	kept   []float32
}

func (s *samples) add(x float32) {
	if s.n%max(1, s.stride) == 0 {
		if len(s.kept) == mostSamples {
			s.stride = 2 * max(1, s.stride)
			half := s.kept[:0]
			for i := 0; i < mostSamples; i += 2 {
				half = append(half, s.kept[i])
			}
			s.kept = half
		}
		s.kept = append(s.kept, x)
	}
	s.n++
}

// mean returns the mean without the hundredth part of the samples that is longest: in those the
// machine did something else. Of a few samples it returns the median, the lower one of two: a
// goroutine outside does more than send at its begin and its end.
func (s *samples) mean() float64 {
	const few = 20
	slices.Sort(s.kept)
	if len(s.kept) < few {
		return float64(s.kept[(len(s.kept)-1)/2])
	}
	rest := s.kept[:len(s.kept)-max(1, len(s.kept)/100)]
	sum := 0.0
	for _, x := range rest {
		sum += float64(x)
	}
	return sum / float64(len(rest))
}
