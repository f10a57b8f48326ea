package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"syscall"
	"time"
)

// role is the part of a process that another one has started: it is a server, has units, or calls.
type role struct {
	stops  []func()
	caller *caller
	member *member
	book   *book
	cpu    *os.File // of the profile under way
	path   string
}

// mostEnd is how long a process may go on once its input has ended.
const mostEnd = 10 * time.Second

// serve does what the other process asks for, until the input ends, as it does with that process.
// An interrupt comes to all processes of a terminal: this one ends in order all the same.
func serve(input io.Reader, answers io.Writer) {
	signal.Ignore(os.Interrupt)
	r := &role{}
	asked, write := make(chan request), json.NewEncoder(answers)
	go func() {
		defer close(asked)
		defer time.AfterFunc(mostEnd, func() { os.Exit(1) })
		for read := json.NewDecoder(input); ; {
			var q request
			if read.Decode(&q) != nil {
				return
			}
			asked <- q
		}
	}()
	for q := range asked {
		a, err := r.do(q)
		if err != nil {
			a.Error = err.Error()
		}
		if write.Encode(a) != nil {
			break
		}
	}
	for _, stop := range r.stops {
		stop()
	}
}

func (r *role) do(q request) (a answer, err error) {
	switch q.Do {
	case "server":
		var stop func()
		if a.URL, stop, err = startServer(); err == nil {
			r.stops = append(r.stops, stop)
		}
		return a, err
	case "units", "caller":
		return a, r.begin(q)
	case "warm":
		return a, warm(r.caller)
	case "one", "goroutines", "futures":
		if q.Do == "futures" && r.caller.send == nil {
			return a, nil
		}
		a.Has = true
		a.Measure, err = hows[q.Do](r.caller, q.For)
		return a, err
	case "count":
		a.Count, err = r.caller.counted()
		return a, err
	case "node":
		s, err := scene(q.Variant)
		if err != nil {
			return a, err
		}
		if r.member, err = s.node(q.Place); err != nil {
			return a, err
		}
		r.stops = append(r.stops, r.member.stop)
		a.Name = r.member.self
		return a, nil
	case "hold":
		if r.member.hold == nil {
			return a, nil
		}
		return a, r.member.hold()
	case "find":
		r.book, err = r.member.find(q.Name)
		return a, err
	case "storm":
		a.Found = storm(r.book, q.For, q.Most)
		return a, nil
	case "usage":
		a.Used, err = usage()
		return a, err
	case "profile":
		return a, r.profile(q.Path)
	case "profiled":
		return a, r.profiled()
	}
	return a, fmt.Errorf("there is no %q", q.Do)
}

// begin begins to have units, or to call them.
func (r *role) begin(q request) error {
	v, err := find(q.Variant)
	if err != nil {
		return err
	}
	if q.Do == "units" {
		stop, err := v.units(q.Place)
		if err == nil {
			r.stops = append(r.stops, stop)
		}
		return err
	}
	if r.caller, err = v.caller(q.Place); err == nil {
		r.stops = append(r.stops, r.caller.stop)
	}
	return err
}

// usage returns what this process has used.
func usage() (used, error) {
	var u syscall.Rusage
	var m runtime.MemStats
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	runtime.ReadMemStats(&m)
	return used{time.Duration(u.Utime.Nano() + u.Stime.Nano()), int64(m.Mallocs)}, err
}

// profile begins profiles: path.cpu, and at the end path.mutex, and path.allocs of all that the
// process has allocated.
func (r *role) profile(path string) (err error) {
	if r.cpu, err = os.Create(path + ".cpu"); err != nil {
		return err
	}
	r.path = path
	runtime.SetMutexProfileFraction(10)
	return pprof.StartCPUProfile(r.cpu)
}

func (r *role) profiled() error {
	pprof.StopCPUProfile()
	runtime.SetMutexProfileFraction(0)
	err := r.cpu.Close()
	for _, kind := range []string{"mutex", "allocs"} {
		f, err2 := os.Create(r.path + "." + kind)
		if err2 == nil {
			err2 = errors.Join(pprof.Lookup(kind).WriteTo(f, 0), f.Close())
		}
		err = errors.Join(err, err2)
	}
	return err
}
