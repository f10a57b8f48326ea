package fanin

import (
	"fmt"
	"strconv"

	"github.com/freerun-go/freerun/programs"
)

// senders is how many goroutines send.
const senders = 4

// Program is the program with all its variants.
var Program = &programs.Program{
	Name:      "fanin",
	Doc:       "four ordinary goroutines send to one receiver that counts",
	Source:    "isolates the path of a message from outside",
	Operation: "message received",
	Params: []programs.Param{
		{Name: programs.Size, Doc: "messages in all", Default: 4_000_000, Quick: 400_000, Min: 100, Max: 1_000_000_000},
	},
	Variants: []programs.Variant{
		{Name: "units", Kind: programs.Freerun, Doc: "the goroutines send to one unit by Tell", Outside: true, Run: runUnits},
		{Name: "channels", Kind: programs.PlainGo, Doc: "a fifth goroutine receives from one channel with a buffer of 1024", Run: runChannels},
		{Name: "mutex", Kind: programs.PlainGo, Doc: "no receiver: the goroutines count for themselves, under a lock", Run: runMutex},
	},
	Expected: func(v programs.Values) string {
		n := v.Get(programs.Size)
		sum := 0
		for from := range senders {
			share := share(n, from)
			sum += share * (share + 1) / 2
		}
		return strconv.Itoa(sum)
	},
}

// message is the number of a message among those of its sender, from 1. It is as small as possible,
// because every byte of it goes from one core to another.
type message struct{ from, number int32 }

// tally is the state of the receiver. Nothing in it is synchronised.
type tally struct {
	left   int // messages still to come
	sum    int
	last   [senders]int32 // the last number from each sender
	finish *programs.Finish
}

func newTally(cfg programs.Config) tally {
	return tally{left: cfg.Values.Get(programs.Size), finish: cfg.NewFinish(1)}
}

// receive counts a message. The last message ends the run, and so does one out of order.
func (t *tally) receive(m message) {
	if m.number != t.last[m.from]+1 {
		t.finish.Fail(fmt.Errorf("message %d of sender %d came after its message %d", m.number, m.from, t.last[m.from]))
		return
	}
	t.last[m.from] = m.number
	t.sum += int(m.number)
	if t.left--; t.left == 0 {
		t.finish.Reached()
	}
}

// share returns how many messages of a total a sender sends.
func share(size, from int) int {
	n := size / senders
	if from < size%senders {
		n++
	}
	return n
}

// run lets the goroutines send to a receiver, and measures until the last message is received. Any
// goroutine calls send. When send returns, it has passed on the message, or has called the tally's
// Fail and dropped it.
func run(cfg programs.Config, finish *programs.Finish, send func(message)) (programs.Result, error) {
	size := cfg.Values.Get(programs.Size)
	var waits [senders]func()
	meter := cfg.StartMeter()
	for from := range senders {
		waits[from] = cfg.Go(func() {
			for number := range share(size, from) {
				send(message{int32(from), int32(number + 1)})
			}
		})
	}
	for _, wait := range waits {
		wait()
	}
	end, err := finish.Wait()
	return meter.StopAt(end, uint64(size)), err
}
