package beat_test

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun/internal/pollpoint"
	"github.com/freerun-go/freerun/internal/sys/beat"
)

// comes waits for a condition, for a time that is far too long, and reports whether it came true.
func comes(done func() bool) bool {
	for end := time.Now().Add(30 * time.Second); !done(); {
		if time.Now().After(end) {
			return false
		}
		time.Sleep(50 * time.Microsecond)
	}
	return true
}

// await ends the test if a condition does not come true.
func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	if !comes(done) {
		t.Fatalf("%s: not in 30 s; %d beats are left, the latest is %d", what, beat.Left(), beat.Latest())
	}
}

// take takes the beat that is in the word.
func take() (n uint32, ok bool) {
	n = pollpoint.Word.Load()
	return n, n != 0 && pollpoint.Word.CompareAndSwap(n, 0)
}

// next keeps beats coming until it can take one.
func next(t *testing.T) (n uint32) {
	t.Helper()
	await(t, "a beat", func() (ok bool) {
		beat.Keep()
		n, ok = take()
		return ok
	})
	return n
}

// sleep waits until no more beats are wanted.
func sleep(t *testing.T) {
	t.Helper()
	await(t, "the end of beats", func() bool {
		beat.Hurry()
		return beat.Left() == 0
	})
}

// TestComesAgain takes beats, whose numbers grow. A beat that is not taken stays in the word.
func TestComesAgain(t *testing.T) {
	t.Log("in time:", beat.InTime())
	for last, i := next(t), 0; i < 50; i++ {
		n := next(t)
		if int32(n-last) <= 0 {
			t.Fatalf("beat %d came after beat %d", n, last)
		}
		last = n
	}
	var stays uint32
	await(t, "a beat that is not taken", func() bool {
		beat.Keep()
		stays = pollpoint.Word.Load()
		return stays != 0
	})
	await(t, "later beats", func() bool {
		beat.Keep()
		return beat.Latest()-stays > 5
	})
	if n := pollpoint.Word.Load(); n != stays {
		t.Fatalf("nobody took beat %d, and the word has %d", stays, n)
	}
}

// TestSleeps lets beats come to their end without a Keep: they do, after as many as Keep promises,
// and come again when they are wanted.
func TestSleeps(t *testing.T) {
	for range 3 {
		sleep(t)
		before := beat.Latest()
		beat.Keep()
		await(t, "the end of beats", func() bool { return beat.Left() == 0 })
		after := beat.Latest()
		if after-before < 100 {
			t.Fatalf("%d beats came for one Keep, want 100", after-before)
		}
		time.Sleep(20 * time.Millisecond)
		if n := beat.Latest(); n != after {
			t.Fatalf("beat %d came after the last one that was wanted, %d", n, after)
		}
		next(t)
	}
}

// TestWakes has many goroutines keep beats coming while another one brings them to their end all
// the time, so that they fall asleep and are woken again and again. A lost wake-up leaves beats
// wanted that do not come. Each beat is taken once, and each goroutine takes them in their order.
func TestWakes(t *testing.T) {
	const (
		keepers = 16
		each    = 200
	)
	sleep(t)
	take()
	from := beat.Latest()
	var stop atomic.Bool
	var hurry, all sync.WaitGroup
	asleep := 0
	hurry.Go(func() {
		for awake := true; !stop.Load(); runtime.Gosched() {
			beat.Hurry()
			was := awake
			if awake = beat.Left() > 0; was && !awake {
				asleep++
			}
		}
	})
	var taken [keepers][]uint32
	for k := range keepers {
		all.Go(func() {
			for i := range each {
				n := beat.Latest()
				if !comes(func() bool {
					beat.Keep()
					if n, ok := take(); ok {
						taken[k] = append(taken[k], n)
					}
					return beat.Latest() != n
				}) {
					t.Errorf("no beat came in 30 s; %d are left, the latest is %d", beat.Left(), beat.Latest())
					return
				}
				if i%8 == k%8 {
					time.Sleep(time.Duration(i*k) * time.Microsecond)
				}
			}
		})
	}
	all.Wait()
	stop.Store(true)
	hurry.Wait()
	sleep(t)
	if n, ok := take(); ok {
		taken[0] = append(taken[0], n)
	}
	var numbers []uint32
	for k := range taken {
		if !slices.IsSorted(taken[k]) {
			t.Errorf("a goroutine took beats in this order: %d", taken[k])
		}
		numbers = append(numbers, taken[k]...)
	}
	slices.Sort(numbers)
	came := beat.Latest() - from
	t.Logf("%d beats, %d taken; found asleep %d times", came, len(numbers), asleep)
	if len(slices.Compact(slices.Clone(numbers))) != len(numbers) {
		t.Errorf("a beat was taken twice: %d", numbers)
	}
	if len(numbers) == 0 || uint32(len(numbers)) > came || numbers[0] <= from {
		t.Errorf("%d beats came after %d, and these were taken: %d", came, from, numbers)
	}
}

// TestBusy polls on all processors of Go at once. Beats come.
func TestBusy(t *testing.T) {
	if runtime.GOARCH == "wasm" {
		t.Skip("a goroutine that computes has the only processor for itself")
	}
	const want = 20
	var seen atomic.Int32
	var all sync.WaitGroup
	end := time.Now().Add(30 * time.Second)
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for seen.Load() < want && time.Now().Before(end) {
				beat.Keep()
				for range 10_000 {
					if _, ok := take(); ok {
						seen.Add(1)
					}
				}
			}
		})
	}
	all.Wait()
	if n := seen.Load(); n < want {
		t.Fatalf("%d beats in 30 s", n)
	}
}

// TestKeepDoesNotAllocate also holds that of the poll.
func TestKeepDoesNotAllocate(t *testing.T) {
	next(t)
	got := testing.AllocsPerRun(1000, func() {
		beat.Keep()
		take()
	})
	if got != 0 {
		t.Errorf("Keep and a poll allocate %v times, want 0", got)
	}
}

func BenchmarkKeep(b *testing.B) {
	for b.Loop() {
		beat.Keep()
	}
}

func BenchmarkPoll(b *testing.B) {
	for b.Loop() {
		if pollpoint.Word.Load() != 0 {
			take()
		}
	}
}
