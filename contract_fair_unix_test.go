//go:build unix

package freerun_test

import (
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"testing"

	"github.com/freerun-go/freerun"
)

// TestSignalsArrive: while units keep all processors busy, a signal comes to the goroutine that waits for it.
func TestSignalsArrive(t *testing.T) {
	onPs(t, func(t *testing.T, rt *freerun.Runtime) {
		arrived := make(chan os.Signal, 1)
		signal.Notify(arrived, syscall.SIGUSR2)
		defer signal.Stop(arrived)
		ran := busy(t, rt)
		const signals = 50
		before := ran()
		for range signals {
			if err := syscall.Kill(os.Getpid(), syscall.SIGUSR2); err != nil {
				t.Fatal(err)
			}
			<-arrived
		}
		if n := ran() - before; n > signals*mostBetween*int64(runtime.GOMAXPROCS(0)) {
			t.Errorf("%d operations were run while %d signals arrived", n, signals)
		}
	})
}
