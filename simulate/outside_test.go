package simulate_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/simulate"
)

var count = freerun.Op("count", func(_ *freerun.Context, n *int, by int) (int, error) {
	*n += by
	return *n, nil
})

// senders returns a program with several goroutines outside, which send to a unit of their own, or
// all to one.
func senders(goroutines, messages int, together bool) func(on *simulate.Host) (time.Duration, error) {
	return func(on *simulate.Host) (time.Duration, error) {
		rt := on.New()
		defer rt.Close()
		units := make([]*freerun.Unit[int], goroutines)
		for i := range units {
			if units[i] = freerun.NewUnit(rt, 0); together {
				units[i] = units[0]
			}
		}
		began := rt.Now()
		errs := make([]error, goroutines)
		waits := make([]func(), goroutines)
		for i, u := range units {
			waits[i] = on.Go(func() {
				for range messages - 1 {
					if err := count.Tell(rt.Context(), u, 1); err != nil {
						errs[i] = err
					}
				}
				n, err := count.Send(rt.Context(), u, 1).Wait(context.Background())
				if err == nil && (n < messages || n > goroutines*messages) {
					err = errors.New("messages are lost")
				}
				errs[i] = errors.Join(errs[i], err)
			})
		}
		for _, wait := range waits {
			wait()
		}
		errs = append(errs, rt.Quiesce(context.Background()))
		return rt.Now().Sub(began), errors.Join(errs...)
	}
}

// TestFirstModelRefusesGoroutines holds that the first model says that the second one can simulate
// goroutines outside, and gives no times.
func TestFirstModelRefusesGoroutines(t *testing.T) {
	r, err := costsOf(t, usual).Run(senders(2, 10, true), 2)
	if !errors.Is(err, errors.ErrUnsupported) || r.Elapsed != 0 {
		t.Errorf("%v, %v", r.Elapsed, err)
	}
}

// TestGoroutinesOutside holds that simulations with goroutines outside follow from their costs, and
// that each goroutine has a core of its own: four take less than four times as long as one, and
// none sends in less time than its pieces take.
func TestGoroutinesOutside(t *testing.T) {
	const messages = 200
	c := costsOf(t, usual)
	for _, processors := range []int{1, 2, 8} {
		p := senders(4, messages, false)
		once, again := second(t, c, p, processors), second(t, c, p, processors)
		if !reflect.DeepEqual(once, again) {
			t.Errorf("%d processors: %+v and %+v", processors, once, again)
		}
		if once.Stats.Done != 4*messages || len(once.Busy) != processors {
			t.Errorf("%d processors: %d messages, %d processors", processors, once.Stats.Done, len(once.Busy))
		}
		if once.Elapsed < messages*piece {
			t.Errorf("%d processors: %v", processors, once.Elapsed)
		}
	}
	one, four := second(t, c, senders(1, messages, false), 8).Elapsed, second(t, c, senders(4, messages, false), 8).Elapsed
	if four >= 4*one {
		t.Errorf("4 goroutines on 8 processors took %v, one %v", four, one)
	}
}

// TestGoroutinesShareWords holds that goroutines that send to one unit take longer, the longer a
// cache line takes.
func TestGoroutinesShareWords(t *testing.T) {
	slow := costsOf(t, usual)
	slow.Transfer *= 10
	p := senders(4, 200, true)
	if fast, slow := second(t, costsOf(t, usual), p, 2), second(t, slow, p, 2); slow.Elapsed <= fast.Elapsed {
		t.Errorf("with lines that take ten times as long %v instead of %v", slow.Elapsed, fast.Elapsed)
	}
}

// TestGoroutinesStall holds that a run is an error in which goroutines wait for each other in vain.
func TestGoroutinesStall(t *testing.T) {
	program := func(on *simulate.Host) (time.Duration, error) {
		rt := on.New()
		defer rt.Close()
		var other func()
		ended := 0
		wait := on.Go(func() { other(); ended++ })
		other = on.Go(func() { wait(); ended++ })
		wait()
		other()
		if ended != 2 {
			t.Errorf("%d of 2 goroutines have ended", ended)
		}
		return rt.Now().Sub(time.Time{}), nil
	}
	c := costsOf(t, usual)
	c.Model = 2
	if _, err := c.Run(program, 2); !errors.Is(err, simulate.ErrStalled) {
		t.Errorf("%v, want ErrStalled", err)
	}
}

// TestGoroutinesLastPiece holds that the waits for a goroutine come after the last that it does,
// whether it returns or ends by Goexit. Two wait, as the first goes on where it has ended.
func TestGoroutinesLastPiece(t *testing.T) {
	for name, end := range map[string]func(){"return": func() {}, "Goexit": runtime.Goexit} {
		c := costsOf(t, usual)
		c.Pieces = append(c.Pieces, simulate.Piece{Operation: "a goroutine outside", From: "sending", To: "passing", Count: 1, Cost: 1e6})
		r := second(t, c, func(on *simulate.Host) (time.Duration, error) {
			rt := on.New()
			defer rt.Close()
			u := freerun.NewUnit(rt, 0)
			began := rt.Now()
			var other time.Duration
			last := on.Go(func() { _ = count.Tell(rt.Context(), u, 1); end() })
			wait := on.Go(func() { last(); other = rt.Now().Sub(began) })
			last()
			mine := rt.Now().Sub(began)
			wait()
			return min(mine, other), nil
		}, 1)
		if r.Elapsed < time.Millisecond {
			t.Errorf("%s: the goroutine has ended after %v, and what it does after its send takes a millisecond", name, r.Elapsed)
		}
	}
}

// TestGoroutineMisuse holds that wrong uses of Go are errors, or panics with a sentence.
func TestGoroutineMisuse(t *testing.T) {
	c := costsOf(t, usual)
	c.Model = 2
	if _, err := costsOf(t, usual).Run(func(on *simulate.Host) (time.Duration, error) {
		on.New()
		answer := make(chan int, 1)
		on.Go(func() { answer <- 1 })()
		<-answer
		return 0, nil
	}, 1); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("the first model: %v", err)
	}
	for what, wrong := range map[string]func(on *simulate.Host, rt *freerun.Runtime) error{
		"Go with a nil function": func(on *simulate.Host, _ *freerun.Runtime) error { on.Go(nil); return nil },
		"started by an operation": func(on *simulate.Host, rt *freerun.Runtime) error {
			_, err := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { on.Go(func() {}); return 0, nil }).Wait(context.Background())
			return err
		},
	} {
		if text := says(c, wrong); !strings.Contains(text, what) {
			t.Errorf("%s: %s", what, text)
		}
	}
}

// says returns the error or the panic of a run that does something wrong.
func says(c *simulate.Costs, wrong func(*simulate.Host, *freerun.Runtime) error) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	_, err := c.Run(func(on *simulate.Host) (time.Duration, error) {
		rt := on.New()
		defer rt.Close()
		return 0, wrong(on, rt)
	}, 1)
	return fmt.Sprint(err)
}

// TestCalibrateGoroutines holds that what goroutines outside do are pieces of their own, and that
// the costs can be used.
func TestCalibrateGoroutines(t *testing.T) {
	p := senders(3, 500, true)
	c, err := simulate.Calibrate("senders", p)
	if err != nil {
		t.Fatal(err)
	}
	sends := 0
	for _, x := range c.Pieces {
		if x.Operation == "a goroutine outside" && x.From == "sending" && x.To == "sending" {
			sends += x.Count
		}
	}
	if sends < 1400 || c.Outside != 3 {
		t.Errorf("%d pieces between sends, %d goroutines: %+v", sends, c.Outside, c.Pieces)
	}
	second(t, c, p, 3)
}

// TestGoBeforeNew holds that there is no goroutine of a runtime that is not made yet.
func TestGoBeforeNew(t *testing.T) {
	defer func() {
		if err, _ := recover().(error); err == nil || !strings.HasPrefix(err.Error(), "simulate: Go before New\n\ngoroutine ") {
			t.Error(err)
		}
	}()
	_, _ = costsOf(t, usual).Run(func(on *simulate.Host) (time.Duration, error) { on.Go(func() {}); return 0, nil }, 1)
}

// TestGoroutineEnds holds that a goroutine may end by Goexit, and that its panic is the program's.
func TestGoroutineEnds(t *testing.T) {
	c := costsOf(t, usual)
	c.Model = 2
	exits := func(on *simulate.Host, rt *freerun.Runtime) error {
		u, n := freerun.NewUnit(rt, 0), 0
		on.Go(func() {
			defer func() { n++ }()
			_, _ = count.Send(rt.Context(), u, 1).Wait(context.Background())
			runtime.Goexit()
		})()
		on.Go(func() { n++ })()
		if n != 2 {
			return errors.New("a goroutine has not ended")
		}
		return nil
	}
	if text := says(c, exits); text != "<nil>" {
		t.Errorf("Goexit: %s", text)
	}
	panics := func(on *simulate.Host, rt *freerun.Runtime) error {
		on.Go(func() { panic("of the goroutine") })()
		return nil
	}
	if text := says(c, panics); !strings.Contains(text, "of the goroutine") {
		t.Errorf("a panic: %s", text)
	}
}
