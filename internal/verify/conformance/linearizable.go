package conformance

import (
	"fmt"
	"math/rand/v2"
	"runtime"

	"github.com/freerun-go/freerun/internal/verify/linear"
)

// A session is a round of calls whose history is checked. The calls of each client are decided
// beforehand.
type session struct {
	recorder *linear.Recorder
	model    linear.Model
	calls    [][]func() // of each client
	finish   func()     // takes out the remaining items, as part of the history
}

// record has clients go through sessions together and checks the histories. If hardly any calls
// overlapped, as where processors are few or busy, it runs further batches of sessions, up to a
// limit.
func record(clients, rounds int, prepare func(round int) session) error {
	const batches = 6
	overlaps := 0
	for batch := 0; batch < batches && overlaps < rounds; batch++ {
		sessions := make([]session, rounds)
		for i := range sessions {
			sessions[i] = prepare(batch*rounds + i)
		}
		err := inRounds(clients, rounds, func(_ *hand, client, round int) error {
			for _, call := range sessions[round].calls[client] {
				call()
			}
			return nil
		})
		if err != nil {
			return err
		}
		for i, s := range sessions {
			s.finish()
			h := s.recorder.History()
			if err := linear.Check(s.model, h); err != nil {
				return fmt.Errorf("round %d: %w", batch*rounds+i, err)
			}
			overlaps += h.Overlaps()
		}
	}
	return nil
}

// pauses returns a call that lets other goroutines get ahead: mostly not at all, sometimes by a few
// steps, sometimes until they have run.
func pauses(random *rand.Rand) func() {
	switch random.IntN(8) {
	case 0:
		return runtime.Gosched
	case 1, 2, 3:
		turns := random.IntN(100)
		return func() {
			for range turns {
				spin()
			}
		}
	default:
		return func() {}
	}
}

// spin does nothing. It is not inlined, so that the compiler does not remove the loops that call
// it.
//
//go:noinline
func spin() {}

// linearizable checks short histories: a few goroutines make a few calls each on small queues that
// begin empty, full, or between.
func linearizable(s QueueSpec, seed uint64) error {
	return record(linearClients, size(linearRounds), func(round int) session {
		return s.session(1+round%4, rand.New(rand.NewPCG(seed, uint64(round))))
	})
}

const linearClients = 4

func (s QueueSpec) session(capacity int, random *rand.Rand) session {
	const calls = 6
	q := s.New(capacity)
	r := session{recorder: linear.NewRecorder(linearClients), model: s.model(capacity), calls: make([][]func(), linearClients)}
	// A client has a producer's handle, a consumer's, or both.
	outs, ins := make([]Enqueuer[int], linearClients), make([]Dequeuer[int], linearClients)
	for i := range linearClients {
		if !s.OneProducer || i == 0 {
			outs[i] = producer(q)
		}
		if !s.OneConsumer || i == linearClients-1 {
			ins[i] = consumer(q)
		}
	}
	made := make([]int, linearClients)
	enqueue := func(i int) func() {
		v := valueOf(i, made[i])
		made[i]++
		if batch, can := outs[i].(enqueuerN[int]); can && random.IntN(3) == 0 {
			made[i]++
			return func() { r.recorder.Client(i).EnqueueN([]int{v, v + 1}, s.In, batch.EnqueueN) }
		}
		return func() { r.recorder.Client(i).Enqueue(v, outs[i].TryEnqueue) }
	}
	dequeue := func(i int) func() {
		if batch, can := ins[i].(dequeuerN[int]); can && random.IntN(3) == 0 {
			return func() { r.recorder.Client(i).DequeueN(make([]int, 2), s.Out, batch.DequeueN) }
		}
		return func() { r.recorder.Client(i).Dequeue(ins[i].TryDequeue) }
	}
	for range random.IntN(s.fits(capacity) + 1) {
		enqueue(0)()
	}
	for i := range linearClients {
		if outs[i] == nil && ins[i] == nil {
			continue
		}
		for range calls {
			call := enqueue
			if outs[i] == nil || ins[i] != nil && random.IntN(2) == 0 {
				call = dequeue
			}
			r.calls[i] = append(r.calls[i], call(i), pauses(random))
			if q, can := q.(measured); can && random.IntN(3) == 0 {
				r.calls[i] = append(r.calls[i], func() { r.recorder.Client(i).Len(q.Len) })
			}
		}
	}
	r.finish = func() {
		last := r.recorder.Client(linearClients - 1)
		for ok := true; ok; {
			_, ok = last.Dequeue(ins[linearClients-1].TryDequeue)
		}
	}
	return r
}
