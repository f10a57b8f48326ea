package bank

import (
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/freerun-go/freerun/programs"
)

func TestProf(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("PROCS"))
	if n == 0 {
		t.Skip()
	}
	acc, _ := strconv.Atoi(os.Getenv("ACC"))
	work, _ := strconv.Atoi(os.Getenv("WORK"))
	runtime.GOMAXPROCS(n)
	run := runUnits
	if os.Getenv("MUTEX") != "" {
		run = runMutex
	}
	v := programs.Values{programs.Size: 1000000, paramAccounts: acc, paramWork: work, paramClients: 8}
	cpu := func() time.Duration {
		var u syscall.Rusage
		syscall.Getrusage(0, &u)
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	run(programs.Config{Processors: n, Values: v})
	if f := os.Getenv("PROF"); f != "" {
		w, _ := os.Create(f)
		pprof.StartCPUProfile(w)
		defer pprof.StopCPUProfile()
	}
	for range 5 {
		c := cpu()
		r, err := run(programs.Config{Processors: n, Values: v})
		t.Log(r.Elapsed/1000000, "wall", (cpu()-c)/1000000, "cpu", err)
	}
}
