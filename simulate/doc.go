// Package simulate tells how long a program of package freerun would take on more processors than
// the machine has. It drives the runtime's own scheduling code (mailboxes, queues, stealing,
// parking) with virtual processors in virtual time, by costs that were measured on this machine.
//
//	program := func(on *simulate.Host) (time.Duration, error) {
//		rt := on.New()
//		defer rt.Close()
//		began := rt.Now()
//		_, err := root.Send(rt.Context(), 30).Wait(context.Background())
//		return rt.Now().Sub(began), err
//	}
//	costs, err := simulate.Calibrate("tree of 30", program)
//	for _, n := range []int{1, 2, 4, 8, 16, 32} {
//		result, err := costs.Run(program, n)
//		…
//	}
//
// Simulated are operations, messages with their futures, and activities. By the second model (Model
// of [Costs]) so are [freerun.Join] and its like, and goroutines outside the runtime: the one that
// runs the program, and those that it starts with [Host.Go]. Run by the first returns an error for
// forks, as it does not tell branches apart while no other processor takes them, and for Host.Go;
// what the program's goroutine does takes no time there.
//
// No other goroutine may send or wait, as in every deterministic runtime. Run returns an error if
// it sees another one wait, and, by the second model, send or read the time while no operation
// runs. It does not see other sends.
//
// Timers fire at their time, in virtual time, or at the end of the piece that is under way then.
// The deadline of a [context.Context] is in real time, so Run and Calibrate return an error if
// something waits with one, or makes a scope with one.
//
// docs/simulation.md describes the models, their limits, and their distance from real runs.
package simulate
