// Package simulate tells how long a program of package freerun would take on more processors than
// the machine has. It drives the runtime's own scheduling code (mailboxes, queues, stealing,
// parking) with virtual processors in virtual time, by costs that were measured on this machine.
//
//	program := func(on *simulate.Host) (time.Duration, error) {
//		rt := on.New()
//		defer rt.Close()
//		began := on.Now()
//		_, err := root.Send(rt.Context(), 30).Wait(context.Background())
//		return on.Now().Sub(began), err
//	}
//	costs, err := simulate.Calibrate("tree of 30", program)
//	for _, n := range []int{1, 2, 4, 8, 16, 32} {
//		result, err := costs.Run(program, n)
//		…
//	}
//
// Simulated are operations, messages with their futures, and activities. What goroutines outside
// the runtime do takes no time, and only one of them may send and wait, as in every deterministic
// runtime. [freerun.Join] and its like are not simulated: branches are not told apart while no
// other processor takes them. docs/simulation.md describes the model, its limits, and its distance
// from real runs.
package simulate
