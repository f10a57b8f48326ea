package simulate

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// A simulated program runs on a goroutine of its own, which [Costs.Run] and [Calibrate] watch. The
// goroutines of a simulation run one at a time. So one that waits for a lock, or on a channel, for
// another one of them would do so for ever, and Go sees no deadlock. The watcher gives such a run
// up. It does not end the goroutines, as Go cannot.

// progress counts the turns of a run. One goroutine at a time may call take.
type progress struct {
	taken uint64
	shown atomic.Uint64 // taken, but for less than showEvery
}

const showEvery = 1 << 10

func (x *progress) take() {
	if x.taken++; x.taken%showEvery == 0 {
		x.shown.Store(x.taken)
	}
}

// A run is given up if it has stood still at so many looks in a row. Another goroutine of the
// process than its own may have it go on until then. lookEvery is changed by tests.
const looks = 10

var lookEvery = time.Second

// errStandstill says that a run was given up.
var errStandstill = fmt.Errorf("simulate: the run stands still, and was given up; the goroutines of a simulation run one at a time, so none may hold a lock where it sends or waits, or wait for another one but by futures, Quiesce and the functions that Host.Go returns: %w", ErrStalled)

// ended tells how a program has ended.
type ended struct {
	took     time.Duration
	err      error
	returned bool
	panicked *programPanic // nil: it has not returned because of runtime.Goexit
}

// programPanic is a panic of a program, with the stack of the goroutine that ran it.
type programPanic struct {
	value any
	stack []byte
}

func (p *programPanic) Error() string { return fmt.Sprintf("%v\n\n%s", p.value, p.stack) }

func (p *programPanic) Unwrap() error {
	err, _ := p.value.(error)
	return err
}

// watched is run on a goroutine of its own. The caller panics or ends as the program does.
func (h *Host) watched(p program) (took time.Duration, err error) {
	done, number := make(chan ended, 1), make(chan string, 1)
	go func() {
		var e ended
		defer func() {
			if value := recover(); value != nil {
				e.panicked = &programPanic{value, debug.Stack()}
			}
			done <- e
		}()
		number <- string(headers.FindSubmatch(stacks(false))[1])
		e.took, e.err = h.run(p)
		e.returned = true
	}()
	e := h.watch(<-number, done)
	switch {
	case e.returned:
	case e.panicked != nil:
		panic(e.panicked)
	default:
		runtime.Goexit()
	}
	return e.took, e.err
}

// watch waits for the end of the program, which the goroutine with that number runs, or gives it
// up.
func (h *Host) watch(number string, done <-chan ended) ended {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for still, last := 0, uint64(0); ; {
		select {
		case e := <-done:
			return e
		case <-tick.C:
		}
		where := ""
		if n := h.schedule.progress().shown.Load(); n == last {
			where = standsStill(number, stacks(true))
		} else {
			last = n
		}
		if still++; where == "" {
			still = 0
		}
		if still == looks {
			return ended{returned: true, err: fmt.Errorf("%w\n%s", errStandstill, where)}
		}
	}
}

// mostStacks limits the text of all stacks.
const mostStacks = 1 << 28

// stacks returns the text of the stacks of all goroutines, or of the running one.
func stacks(all bool) []byte {
	for size := 1 << 16; ; size *= 4 {
		text := make([]byte, size)
		if n := runtime.Stack(text, all); n < size || size >= mostStacks {
			return text[:n]
		}
	}
}

var (
	headers  = regexp.MustCompile(`(?m)^goroutine (\d+) (?:[^\[\n]*)\[([^\],(]*)`)
	creators = regexp.MustCompile(`(?m)^created by .* in goroutine (\d+)$`)
	frames   = regexp.MustCompile(`(?m)^(\S.*)\(.*\)\n\t(\S+)`)
)

// waiting has the states of goroutines that only another goroutine can end.
var waiting = map[string]bool{
	"chan send": true, "chan receive": true, "select": true, "coroutine": true, "semacquire": true,
	"sync.Mutex.Lock": true, "sync.RWMutex.Lock": true, "sync.RWMutex.RLock": true,
	"sync.Cond.Wait": true, "sync.WaitGroup.Wait": true,
}

// standsStill returns, from the text of all stacks, where the goroutines of a program wait: the one
// with that number, and all that descend from it. It returns "" if one of them does not wait, or
// another one that runs operations.
func standsStill(number string, text []byte) string {
	type goroutine struct{ state, creator, at string }
	all := map[string]goroutine{}
	for _, block := range bytes.Split(text, []byte("\n\n")) {
		header := headers.FindSubmatch(block)
		if header == nil {
			continue
		}
		g := goroutine{state: strings.TrimSpace(string(header[2]))}
		if creator := creators.FindSubmatch(block); creator != nil {
			g.creator = string(creator[1])
		}
		if bytes.Contains(block, []byte("/freerun/internal/sched.")) && !waiting[g.state] {
			return ""
		}
		for _, frame := range frames.FindAllSubmatch(block, -1) {
			if g.at == "" && !ofGo.Match(frame[1]) {
				g.at = string(frame[2])
			}
		}
		all[string(header[1])] = g
	}
	descends := func(n string) bool {
		for range len(all) {
			if n == number {
				return true
			}
			n = all[n].creator
		}
		return false
	}
	var where strings.Builder
	for _, n := range slices.Sorted(maps.Keys(all)) {
		switch g := all[n]; {
		case !descends(n):
		case !waiting[g.state]:
			return ""
		case g.state != "coroutine":
			fmt.Fprintf(&where, "\ta goroutine waits in %s at %s\n", g.state, g.at)
		}
	}
	return strings.TrimSuffix(where.String(), "\n")
}

// ofGo matches the functions in which a goroutine waits for the function that is of interest.
var ofGo = regexp.MustCompile(`^(runtime|sync|internal/sync|iter)\.`)
