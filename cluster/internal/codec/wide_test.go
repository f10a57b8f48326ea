package codec_test

import (
	"encoding/binary"
	"errors"
	"testing"
)

// wide is a state of 112 bytes.
type wide struct {
	Balance int64
	Months  [12]uint64
	Kind    byte
}

// wideBinary is the same with a form of its own.
type wideBinary wide

func (w *wideBinary) AppendBinary(b []byte) ([]byte, error) {
	b = binary.LittleEndian.AppendUint64(b, uint64(w.Balance))
	for _, m := range w.Months {
		b = binary.LittleEndian.AppendUint64(b, m)
	}
	return append(b, w.Kind), nil
}

func (w *wideBinary) UnmarshalBinary(b []byte) error {
	if len(b) != 8+12*8+1 {
		return errors.New("another length")
	}
	w.Balance = int64(binary.LittleEndian.Uint64(b))
	for i := range w.Months {
		w.Months[i] = binary.LittleEndian.Uint64(b[8+8*i:])
	}
	w.Kind = b[len(b)-1]
	return nil
}

func BenchmarkState(b *testing.B) {
	w := wide{Balance: 123456, Kind: 'x'}
	for i := range w.Months {
		w.Months[i] = uint64(i) * 1_000_003
	}
	b.Run("json", func(b *testing.B) { benchmark(b, w) })
	b.Run("binary", func(b *testing.B) { benchmark(b, wideBinary(w)) })
	b.Run("int", func(b *testing.B) { benchmark(b, 123456) })
	b.Run("string", func(b *testing.B) { benchmark(b, "an argument of thirty-two bytes.") })
}

func benchmark[T any](b *testing.B, v T) {
	c := of[T](b)
	text, err := c.Append(nil, &v)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("append", func(b *testing.B) {
		b.ReportAllocs()
		b.ReportMetric(float64(len(text)), "B/value")
		dst := make([]byte, 0, 1024)
		for b.Loop() {
			if _, err := c.Append(dst, &v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := c.Decode(text, &v); err != nil {
				b.Fatal(err)
			}
		}
	})
}
