package record_test

import (
	"testing"

	"github.com/freerun-go/freerun/internal/record"
)

func BenchmarkNote(b *testing.B) {
	t := record.NewTape(1<<15, true, nil, new(record.Names))
	for b.Loop() {
		t.Note(record.Begin, 1, false, 2, 3)
	}
}

func BenchmarkAdd(b *testing.B) {
	t := record.NewTape(1<<15, true, nil, new(record.Names))
	for b.Loop() {
		t.Add(record.Need, false, 2, 3)
	}
}
