package ladder

import (
	"fmt"
	"math/rand/v2"
	"runtime"

	"github.com/freerun-go/freerun/internal/linear"
)

// linearizable checks short histories: a few goroutines, a few calls each, at small queues that begin empty, filled, or between.
func linearizable(s QueueSpec, seed uint64) error {
	for round := range size(linearRounds) {
		random := rand.New(rand.NewPCG(seed, uint64(round)))
		capacity := 1 + round%4
		if err := s.history(capacity, random); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	return nil
}

func (s QueueSpec) history(capacity int, random *rand.Rand) error {
	const clients, calls = 4, 6
	q := s.New(capacity)
	recorder := linear.NewRecorder(clients)
	// A client has a producer's handle, a consumer's, or both.
	outs, ins := make([]Enqueuer[int], clients), make([]Dequeuer[int], clients)
	for i := range clients {
		if !s.OneProducer || i == 0 {
			outs[i] = producer(q)
		}
		if !s.OneConsumer || i == clients-1 {
			ins[i] = consumer(q)
		}
	}
	made := make([]int, clients)
	enqueue := func(i int) {
		recorder.Client(i).Enqueue(valueOf(i, made[i]), outs[i].TryEnqueue)
		made[i]++
	}
	for range random.IntN(s.fits(capacity) + 1) {
		enqueue(0)
	}
	var c crew
	for i := range clients {
		random := rand.New(rand.NewPCG(random.Uint64(), 0))
		if outs[i] == nil && ins[i] == nil {
			continue
		}
		c.add(true, func(*hand) error {
			for range calls {
				if ins[i] == nil || outs[i] != nil && random.IntN(2) == 0 {
					enqueue(i)
				} else {
					recorder.Client(i).Dequeue(ins[i].TryDequeue)
				}
				for range random.IntN(3) {
					runtime.Gosched()
				}
			}
			return nil
		})
	}
	if err := c.run(); err != nil {
		return err
	}
	for ok := true; ok; { // what is left is part of the history
		_, ok = recorder.Client(clients - 1).Dequeue(ins[clients-1].TryDequeue)
	}
	return linear.Check(s.model(capacity), recorder.History())
}
