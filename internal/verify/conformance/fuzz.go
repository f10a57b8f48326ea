package conformance

import "testing"

// FuzzQueue compares a queue with the reference, call by call, for calls that the fuzzer chooses.
// The first byte chooses the capacity, each further byte a call.
func FuzzQueue(f *testing.F, s QueueSpec) {
	f.Helper()
	if err := s.check(); err != nil {
		f.Fatal(err)
	}
	for _, seed := range fuzzSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, calls []byte) {
		if err := fuzzed(s, calls); err != nil {
			t.Error(err)
		}
	})
}

// fuzzSeeds are calls that fill and empty a container: once around the ring, one item at a time,
// and in batches. drill.do defines the meaning of a byte.
var fuzzSeeds = []string{
	"\x02\x00\x00\x00\x03\x03\x03\x00\x03",
	"\x00\x00\x00\x03\x03\x00\x03",
	"\x04\x1e\x1e\x1f\x1f\x00\x03\x1e\x1f\x1f",
	"\x03\x00\x08\x10\x03\x00\x08\x10\x03\x0b\x13\x03",
}

func fuzzed(s QueueSpec, calls []byte) error {
	if len(calls) == 0 {
		return nil
	}
	capacity := 1 + int(calls[0]%9)
	if s.NearOverflow != nil && calls[0] >= 128 {
		return newDrill(s, s.NearOverflow(capacity), capacity).run(calls[1:])
	}
	return newDrill(s, s.New(capacity), capacity).run(calls[1:])
}
