package alloc

import (
	"encoding/binary"
	"fmt"

	"github.com/freerun-go/freerun/internal/sys/pad"
)

// task allocates blocks of consecutive numbers, batch by batch, and frees what it keeps or is handed. It belongs to one goroutine, and no other task is on its cache lines.
type task[R any] struct {
	_ pad.Line

	memory    Memory[R]
	size      int
	batch     int    // blocks of a batch
	foreign   int    // batches in 100 that it hands over
	next, end uint64 // the numbers of its blocks, from 0; a block's own is one more

	in  <-chan []R // batches to be freed; nil when no more will come
	out chan<- []R // what it hands over

	spare [][]R  // of batches that were freed, for the next
	sum   uint64 // of the numbers of blocks that it freed

	_ pad.Line
}

// work does all that the task has to do. If something fails it still takes what it is handed, so that the others come to their end.
func (t *task[R]) work() error {
	err := t.allocate()
	close(t.out)
	for t.in != nil {
		blocks, more := <-t.in
		if failed := t.free(blocks); err == nil {
			err = failed
		}
		if !more {
			t.in = nil
		}
	}
	return err
}

// allocate allocates the task's blocks.
func (t *task[R]) allocate() error {
	var kept []R // until the next batch has been allocated
	for n := 0; t.next < t.end; n++ {
		blocks, err := t.fill()
		if failed := t.free(kept); err == nil {
			err = failed
		}
		kept = blocks
		if err != nil {
			t.free(kept) // what failed first is told
			return err
		}
		if (n+1)*t.foreign/100 > n*t.foreign/100 {
			kept = nil
			if err := t.handOver(blocks); err != nil {
				return err
			}
		}
	}
	return t.free(kept)
}

// fill allocates a batch, and writes each block's number. What was allocated before something failed is returned beside the error.
func (t *task[R]) fill() ([]R, error) {
	var blocks []R
	if last := len(t.spare) - 1; last >= 0 {
		blocks, t.spare = t.spare[last], t.spare[:last]
	} else {
		blocks = make([]R, 0, t.batch)
	}
	for len(blocks) < t.batch && t.next < t.end {
		block, err := t.memory.Alloc(t.size)
		if err != nil {
			return blocks, err
		}
		t.next++
		contents := t.memory.Bytes(block)
		binary.NativeEndian.PutUint64(contents, t.next)
		contents[t.size-1] = mark(t.next)
		blocks = append(blocks, block)
	}
	return blocks, nil
}

// mark is what the last byte of a block is.
func mark(number uint64) byte { return byte(number) ^ 0xa5 }

// free frees a batch, if each block has what was written to it. All are freed even if one has not.
func (t *task[R]) free(blocks []R) (err error) {
	if blocks == nil {
		return nil
	}
	for _, block := range blocks {
		contents := t.memory.Bytes(block)
		number := binary.NativeEndian.Uint64(contents)
		if contents[t.size-1] != mark(number) && err == nil {
			err = fmt.Errorf("a block begins as number %d and ends as another one", number)
		}
		t.sum += number
		if failed := t.memory.Free(block); err == nil {
			err = failed
		}
	}
	clear(blocks) // or the collector would find what was dropped
	t.spare = append(t.spare, blocks[:0])
	return err
}

// handOver gives a batch to the next task. It waits while too many are under way there, and frees what comes meanwhile.
func (t *task[R]) handOver(blocks []R) error {
	for {
		select {
		case t.out <- blocks:
			return nil
		case more, open := <-t.in:
			if !open {
				t.in = nil // and is not ready again
			} else if err := t.free(more); err != nil {
				t.free(blocks) // what failed first is told
				return err
			}
		}
	}
}
