package simulate

import (
	"maps"
	"slices"
	"time"
)

// recorder is the schedule of a runtime with one processor that measures the time of each piece.
type recorder struct {
	names
	presentPiece
	began   time.Time // when the piece under way began; zero before the first
	samples map[piece]*samples
}

func newRecorder() *recorder { return &recorder{names: newNames(), samples: map[piece]*samples{}} }

func (r *recorder) Choose([]int) int {
	now := time.Now()
	if !r.began.IsZero() && !r.idle() {
		s := r.samples[r.piece]
		if s == nil {
			s = new(samples)
			r.samples[r.piece] = s
		}
		s.add(float32(now.Sub(r.began)))
	}
	r.turn()
	r.began = time.Now()
	return 0
}

func (r *recorder) Began(_ int, operation string) {
	r.resting = false
	r.operation, r.from = r.of(operation), begun
}

func (r *recorder) Now() time.Duration     { return 0 }
func (r *recorder) Enter()                 { r.began = time.Time{} } // drops what came from outside
func (r *recorder) Idle(time.Duration)     {}
func (r *recorder) On(int, any, bool)      {}
func (r *recorder) Sends(int, any)         { r.to = sending }
func (r *recorder) Ends(int)               { r.to = ending }
func (r *recorder) Forks(int)              { r.to = forking }
func (r *recorder) Rests(int)              { r.resting = true }
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
// machine did something else. Of a few samples it returns the median.
func (s *samples) mean() float64 {
	const few = 20
	slices.Sort(s.kept)
	if len(s.kept) < few {
		return float64(s.kept[len(s.kept)/2])
	}
	rest := s.kept[:len(s.kept)-max(1, len(s.kept)/100)]
	sum := 0.0
	for _, x := range rest {
		sum += float64(x)
	}
	return sum / float64(len(rest))
}
