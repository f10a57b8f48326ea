//go:build gc && linux && (amd64 || arm64) && !freerun_portable && !go1.27

package beat_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sys/beat"
)

// status returns a line of what the system says about a thread of this process.
func status(thread, line string) string {
	text, err := os.ReadFile(filepath.Join("/proc/self/task", thread, "status"))
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(text), "\n"+line+":")
	rest, _, _ = strings.Cut(rest, "\n")
	return strings.TrimSpace(rest)
}

// deaf reports whether a thread has all signals blocked that can be.
func deaf(thread string) bool {
	const never = 1<<(syscall.SIGKILL-1) | 1<<(syscall.SIGSTOP-1)
	blocked, err := strconv.ParseUint(status(thread, "SigBlk"), 16, 64)
	return err == nil && blocked|never == ^uint64(0)
}

// TestThread holds that there is one thread of the beat, that it has all signals blocked, that no
// other thread has, and that the system does not run it while it sleeps.
func TestThread(t *testing.T) {
	next(t)
	if !beat.InTime() {
		t.Skip("the system refuses the thread")
	}
	id := strconv.Itoa(beat.Thread())
	await(t, "one deaf thread, that of the beat", func() bool { // Go's are, while they begin
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, thread := range threads {
			if deaf(thread.Name()) {
				found = append(found, thread.Name())
			}
		}
		return len(found) == 1 && found[0] == id
	})
	sleep(t)
	await(t, "sleep", func() bool { return strings.HasPrefix(status(id, "State"), "S") })
	before := status(id, "voluntary_ctxt_switches")
	time.Sleep(50 * time.Millisecond)
	if after := status(id, "voluntary_ctxt_switches"); before == "" || after != before {
		t.Errorf("the thread slept %s times, and while nobody wanted beats %s times", before, after)
	}
}

// TestStorm does all at once what a thread that Go does not know may get in the way of: starting
// processes, collections, system calls in all threads, profiles, and signals, for preemption and
// for the program, each of which arrives. Beats come all the while.
func TestStorm(t *testing.T) {
	if os.Getenv(refuse) != "" {
		t.Skip("this is for the thread")
	}
	next(t)
	before := beat.Latest()
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		t.Log("no profile of the storm: ", err)
	} else {
		defer pprof.StopCPUProfile()
	}
	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, syscall.SIGUSR1)
	defer signal.Stop(arrived)

	var all sync.WaitGroup
	several := func(times int, do func() error) {
		all.Go(func() {
			for range times {
				beat.Keep()
				if err := do(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	several(50, func() error { return exec.Command("true").Run() })
	several(50, func() error { runtime.GC(); return nil })
	several(100, func() error { return syscall.Setgid(syscall.Getgid()) })
	several(1000, func() error { return syscall.Kill(os.Getpid(), syscall.SIGURG) })
	several(200, func() error {
		if err := syscall.Kill(os.Getpid(), syscall.SIGUSR1); err != nil {
			return err
		}
		select {
		case <-arrived:
			return nil
		case <-time.After(30 * time.Second):
			return fmt.Errorf("a signal did not arrive in 30 s")
		}
	})
	several(30, func() error {
		for end := time.Now().Add(5 * time.Millisecond); time.Now().Before(end); {
			take()
		}
		return nil
	})
	all.Wait()
	next(t)
	if !beat.InTime() || beat.Latest() == before {
		t.Errorf("beat %d came before the storm, %d after it; in time: %v", before, beat.Latest(), beat.InTime())
	}
}

// TestRefused runs tests in a process in which the system refuses to make the thread, and in one in
// which it refuses the thread its pause, or its sleep. A goroutine beats instead.
func TestRefused(t *testing.T) {
	if os.Getenv(refuse) != "" {
		return
	}
	for _, what := range []string{"clone", "nanosleep", "futex"} {
		child := exec.Command("/proc/self/exe", "-test.run=^(TestComesAgain|TestSleeps|TestWakes|TestBusy|TestNotInTime)$", "-test.v")
		child.Env = append(os.Environ(), refuse+"="+what)
		if said, err := child.CombinedOutput(); err != nil || !strings.Contains(string(said), notInTime) {
			t.Errorf("%s is refused: %v\n%s", what, err, said)
		}
	}
}

const (
	refuse    = "BEAT_TEST_REFUSE" // in the environment: the call that the process refuses itself
	notInTime = "a goroutine beats"
)

// TestNotInTime is for TestRefused: it says whether a goroutine beats.
func TestNotInTime(t *testing.T) {
	sleep(t)
	next(t)
	sleep(t)
	if !beat.InTime() {
		t.Log(notInTime)
	}
}

func init() {
	what := os.Getenv(refuse)
	if what == "" {
		return
	}
	const (
		cloneFlags        = 0x1D0F00
		setNoNewPrivs     = 38
		setFilter         = 1
		inAllThreads      = 1
		load, equal, give = 0x20, 0x15, 0x06
		allowed           = 0x7fff0000
	)
	// A call is refused if its first argument is the thread's.
	var number, argument uintptr
	switch what {
	case "clone":
		number, argument = syscall.SYS_CLONE, cloneFlags
	case "nanosleep":
		number, argument = syscall.SYS_NANOSLEEP, beat.Millisecond
	case "futex":
		number, argument = syscall.SYS_FUTEX, beat.Futex
	}
	type instruction struct {
		code        uint16
		then, other uint8 // instructions to skip
		k           uint32
	}
	filter := []instruction{
		{load, 0, 0, 0}, // the number of the call
		{equal, 0, 5, uint32(number)},
		{load, 0, 0, 16}, // the first argument
		{equal, 0, 3, uint32(argument)},
		{load, 0, 0, 20},
		{equal, 0, 1, uint32(uint64(argument) >> 32)},
		{give, 0, 0, 0x50000 | uint32(syscall.EPERM)},
		{give, 0, 0, allowed},
	}
	program := struct {
		n     uint16
		first *instruction
	}{uint16(len(filter)), &filter[0]}
	seccomp := uintptr(317)
	if runtime.GOARCH == "arm64" {
		seccomp = 277
	}
	runtime.LockOSThread() // no new privileges is a thread's, until the filter is set
	defer runtime.UnlockOSThread()
	if _, _, err := syscall.RawSyscall6(syscall.SYS_PRCTL, setNoNewPrivs, 1, 0, 0, 0, 0); err != 0 {
		panic(err)
	}
	if _, _, err := syscall.RawSyscall(seccomp, setFilter, inAllThreads, uintptr(unsafe.Pointer(&program))); err != 0 {
		panic(err)
	}
}
