//go:build unix

package contracts_test

import (
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/freerun-go/freerun"
)

// TestSignalsArrive: while units keep all processors busy, a signal reaches the goroutine that
// waits for it. Each signal needs two sleeping threads, which the system wakes at its own pace:
// where other processes are busy, milliseconds later.
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
