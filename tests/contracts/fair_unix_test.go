//go:build unix

package contracts_test

import (
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/freerun-go/freerun"
)

// TestSignalsArrive: while units keep all processors busy, a signal comes to the goroutine that waits for it. Two threads that sleep
// take part in each, which the system wakes when it likes: where other processes are busy, milliseconds later.
func TestSignalsArrive(t *testing.T) {
	onPs(t, func(t *testing.T, rt *freerun.Runtime) {
		arrived := make(chan os.Signal, 1)
		signal.Notify(arrived, syscall.SIGUSR2)
		defer signal.Stop(arrived)
		served(t, busy(t, rt), 10, 2*mostBetween, "a signal arrived", func() {
			if err := syscall.Kill(os.Getpid(), syscall.SIGUSR2); err != nil {
				t.Fatal(err)
			}
			<-arrived
		})
	})
}
