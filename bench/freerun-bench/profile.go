package main

import (
	"errors"
	"os"
	"runtime"
	"runtime/pprof"

	"github.com/freerun-go/freerun/bench/commandline"
)

// startProfiles begins the requested profiles. It returns a function that ends them and writes them
// out. An empty name requests no profile.
func startProfiles(cpu, mem string) (stop func() error, err error) {
	var file *os.File
	if cpu != "" {
		if file, err = os.Create(cpu); err != nil {
			return nil, commandline.Usagef("--cpuprofile: %v", err)
		}
		if err := pprof.StartCPUProfile(file); err != nil {
			return nil, errors.Join(err, file.Close())
		}
	}
	return func() error {
		var failed []error
		if file != nil {
			pprof.StopCPUProfile()
			failed = append(failed, file.Close())
		}
		if mem != "" {
			failed = append(failed, writeAllocations(mem))
		}
		return errors.Join(failed...)
	}, nil
}

// writeAllocations writes a profile of all heap allocations so far.
func writeAllocations(name string) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	runtime.GC() // a profile is complete up to the last collection
	return errors.Join(pprof.Lookup("allocs").WriteTo(file, 0), file.Close())
}
