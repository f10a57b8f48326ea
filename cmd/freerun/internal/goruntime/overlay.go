// Package goruntime has the functions that `freerun build` puts before those of Go's runtime that
// block a goroutine: they tell package activity first. So an activity that waits for a lock of
// package sync, a channel or the network gives its processor away, as in Block, in whatever code
// it waits. And it has those that preempt activities, in whatever code they run.
//
// The runtime is compiled from its own source, in which these functions have other names, and some
// files more. Its variables are those of internal/sys/blockhook and internal/sys/preempt of
// freerun, through which package activity hears of it. So freerun itself is compiled as it is, and
// can be in the module cache, where the go command replaces no files.
package goruntime

import (
	_ "embed"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
)

var (
	//go:embed runtime.txt
	runtimeText []byte
	//go:embed race.txt
	raceText []byte
	//go:embed norace.txt
	noraceText []byte
	//go:embed preempt.txt
	preemptText []byte
	//go:embed call.txt
	callText []byte
)

// Version is the Go whose runtime is known.
const Version = "go1.26"

// before are the functions that others are put before, by their files, and their other names.
var before = map[string]map[string]string{
	"cgocall.go": {"unwindm": "freerunUnwindm"},
	"chan.go":    {"chansend": "freerunChansend", "chanrecv": "freerunChanrecv"},
	"netpoll.go": {"poll_runtime_pollWait": "freerunPollWait"},
	"select.go":  {"selectgo": "freerunSelectgo", "block": "freerunBlock"},
	"sema.go":    {"semacquire1": "freerunSemacquire1", "notifyListWait": "freerunNotifyListWait"},
	"time.go":    {"timeSleep": "freerunTimeSleep"},
	"proc.go":    {"gopreempt_m": "freerunGopreempt_m", "gosched_m": "freerunGosched_m", "Gosched": "freerunGoschedAtOnce", "exitsyscall": "freerunExitsyscall"},
}

// edit is a text that stands once in a file, and what stands there instead.
type edit struct{ what, was, is string }

// edits returns the edits of the files of the runtime. Besides the names of functions these are the
// number of calls that a profile of what blocks may leave out at the top of a stack, one more; what
// a goroutine knows of its activity; and what sysmon does.
func edits() map[string][]edit {
	all := map[string][]edit{
		"mprof.go":    {{"line maxSkip = 6", "\n\tmaxSkip = 6\n", "\n\tmaxSkip = 7\n"}},
		"runtime2.go": {{"field coroarg of g", "\n\tcoroarg *coro //", "\n\t// Of freerun, see freerun_preempt.go.\n\tfreerunOwner     unsafe.Pointer\n\tfreerunStandsFor guintptr\n\tfreerunNext      guintptr\n\tfreerunCall      atomic.Uint32\n\tfreerunTick      uint32\n\tfreerunTurns     uint32\n\tfreerunSince     int64\n\tfreerunResumed   uint32\n\tfreerunDue       bool\n\tfreerunSoon      bool\n\tfreerunAnnounced bool\n\tfreerunPurpose   uint8\n\n\tcoroarg *coro //"}},
		"proc.go": {
			{"sleep of sysmon", "\n\t\tusleep(delay)\n\n\t\t// sysmon should not", "\n\t\tdelay = min(delay, freerunSleeps())\n\t\tusleep(delay)\n\n\t\t// sysmon should not"},
			{"guard in execute", "\n\tgp.stackguard0 = gp.stack.lo + stackGuard\n\tif !inheritTime {", "\n\tgp.stackguard0 = gp.stack.lo + stackGuard\n\tfreerunResumes(gp)\n\tif !inheritTime {"},
			{"retake of sysmon", "\n\t\tif retake(now) != 0 {", "\n\t\tfreerunLook(now)\n\t\tif retake(now) != 0 {"},
			{"deep sleep of sysmon", "\n\t\tif debug.schedtrace <= 0 && (sched.gcwaiting", "\n\t\tif debug.schedtrace <= 0 && !freerunIsAsked() && (sched.gcwaiting"},
			{"end of retake", "\n\t\tthread.resume()\n\t\tn++\n", "\n\t\tthread.resume()\n\t\tfreerunWakeLeaver()\n\t\tn++\n"},
			{"end of releaseP", "\n\taddGSyscallNoP(s.mp)\n", "\n\taddGSyscallNoP(s.mp)\n\tfreerunAskToLeave(s.gp)\n"},
			{"P given up in entersyscall", "\n\t\taddGSyscallNoP(gp.m) // We gave up our P voluntarily.\n", "\n\t\taddGSyscallNoP(gp.m) // We gave up our P voluntarily.\n\t\tfreerunAskToLeave(gp.m.curg)\n"},
		},
	}
	for file, functions := range before {
		for function, other := range functions {
			all[file] = append(all[file], edit{"function " + function, "\nfunc " + function + "(", "\nfunc " + other + "("})
		}
	}
	return all
}

// Without removes from an overlay, which has the file to read by each path, what `freerun overlay`
// has put into it: [Texts] replaces the same files.
func Without(overlay map[string]string) {
	inRuntime := func(name, file string) bool { return strings.HasSuffix(filepath.ToSlash(name), "/src/runtime/"+file) }
	isOurs := func(name string) bool {
		for file := range edits() {
			if inRuntime(name, file) {
				return true
			}
		}
		return inRuntime(name, filepath.Base(name)) && strings.HasPrefix(filepath.Base(name), "freerun")
	}
	for name := range overlay {
		if inRuntime(name, "freerun_preempt.go") {
			maps.DeleteFunc(overlay, func(name, _ string) bool { return isOurs(name) })
			return
		}
	}
}

// Texts returns the texts of files to compile in the place of those of the runtime in a GOROOT. The
// function read reads a file.
func Texts(goroot string, read func(name string) ([]byte, error)) (map[string][]byte, error) {
	folder := filepath.Join(goroot, "src", "runtime")
	texts := map[string][]byte{
		filepath.Join(folder, "freerun.go"):         runtimeText,
		filepath.Join(folder, "freerun_preempt.go"): preemptText,
		filepath.Join(folder, "freerun_call.go"):    callText,
		filepath.Join(folder, "freerun_race.go"):    raceText,
		filepath.Join(folder, "freerun_norace.go"):  noraceText,
	}
	for file, edits := range edits() {
		name := filepath.Join(folder, file)
		source, err := read(name)
		if err != nil {
			return nil, err
		}
		text := string(source)
		for _, e := range edits {
			if strings.Count(text, e.was) != 1 {
				return nil, fmt.Errorf("%s has no %s, as that of %s does", name, e.what, Version)
			}
			text = strings.Replace(text, e.was, e.is, 1)
		}
		texts[name] = []byte(text)
	}
	return texts, nil
}
