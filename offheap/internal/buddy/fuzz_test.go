package buddy

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// FuzzSpace compares a space with the model, for calls that the fuzzer chooses: the first two bytes
// are the size in leaves, the third the order of a leaf, and each further pair a call: see
// drill.do.
func FuzzSpace(f *testing.F) {
	f.Add([]byte("\x40\x00\x00\x20\x00\x20\x00\x70\x00\x70\x00"))
	f.Add([]byte("\x00\x04\x05\x20\x05\x25\x00\x42\x00\x57\x05\x70\x00\x71\x00"))
	f.Add([]byte("\x21\x02\x03\x04\x09\x13\x47\x29\x05\x45\x01\x45\x01\x55\x01\x77\x00"))
	f.Add([]byte("\xff\x05\x00\x20\x01\x21\x02\x23\x03\x24\x04\x80\x02\x90\x05\x7f\x00"))
	f.Fuzz(func(t *testing.T, calls []byte) {
		if err := fuzzed(calls); err != nil {
			t.Error(err)
		}
	})
}

func fuzzed(calls []byte) error {
	if len(calls) < 3 {
		return nil
	}
	leaves := 1 + uint64(calls[0]) | uint64(calls[1]&7)<<8
	least := uint(calls[2] % 8)
	d := newDrill(leaves<<least, least)
	for n := 3; n+1 < len(calls); n += 2 {
		operation, choice, order := int(calls[n]>>4), int(calls[n+1]), least+uint(calls[n]&15)
		var err error
		switch operation {
		case 8:
			err = d.sweep(order, order+uint(choice%16))
		case 9:
			err = d.compare()
		default:
			err = d.do(operation, choice, order)
		}
		if err != nil {
			return fmt.Errorf("%d leaves of order %d, after %d calls: %w", leaves, least, (n-3)/2, err)
		}
	}
	return d.clear(rand.New(rand.NewPCG(1, uint64(len(calls)))))
}
