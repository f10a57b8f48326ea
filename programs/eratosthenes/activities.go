package eratosthenes

import (
	"errors"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/programs"
)

// row is the sieves that are activities.
type row struct {
	crew   *programs.Crew
	buffer int
	lock   activity.Mutex
	found  tally
}

func runActivities(cfg programs.Config) (programs.Result, error) {
	size := cfg.Values.Get(programs.Size)
	r := &row{buffer: cfg.Values.Get(paramBuffer)}
	result, err := programs.Activities(cfg, 0, func(a *activity.Activity, crew *programs.Crew) error {
		r.crew = crew
		first := r.start(a)
		for number := 2; number <= size; number++ {
			if err := first.Send(a, number); err != nil {
				return err
			}
		}
		first.Close()
		return nil
	})
	result.Operations = r.found.given
	result.Checksum = r.found.String()
	return result, err
}

// start starts a sieve and returns the mailbox for its numbers.
func (r *row) start(a *activity.Activity) *activity.Mailbox[int] {
	in := activity.NewMailbox[int](r.buffer)
	r.crew.Go(a, func(a *activity.Activity) error { return r.sieve(a, in) })
	return in
}

// sieve starts the next sieve when it has a number for it. Each sieve gets a first number.
func (r *row) sieve(a *activity.Activity, in *activity.Mailbox[int]) error {
	prime, err := in.Receive(a)
	if err != nil {
		return err
	}
	s := sieve{prime: prime, given: 1}
	var out *activity.Mailbox[int]
	for {
		number, err := in.Receive(a)
		if errors.Is(err, activity.ErrMailboxClosed) {
			break
		}
		if err != nil {
			return err
		}
		if !s.passes(number) {
			continue
		}
		if out == nil {
			out = r.start(a)
		}
		if err := out.Send(a, number); err != nil {
			return err
		}
	}
	if out != nil {
		out.Close()
	}
	if err := r.lock.Lock(a); err != nil {
		return err
	}
	r.found.add(s)
	r.lock.Unlock()
	return nil
}
