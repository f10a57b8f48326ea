package alloc

import (
	"encoding/binary"
	"fmt"

	"github.com/freerun-go/freerun/internal/sys/pad"
)

// task allocates blocks with consecutive numbers, batch by batch, and frees what it keeps or is
// handed. It belongs to one goroutine. No other task is on its cache lines.
type task[R any] struct {
	_ pad.Line

	memory Memory[R]
	size   int
	batch  int  // blocks of a batch
	touch  bool // write and read all bytes of a block
	// How many batches in 100 it hands over.
	foreign int
	// The numbers of its blocks, from 0. The mark of a block is one more.
	next, end uint64

	in  <-chan []R // batches to be freed; nil when no more will come
	out chan<- []R // batches that it hands over

	spare [][]R  // slices of freed batches, for later batches
	sum   uint64 // of the numbers of blocks that it freed

	_ pad.Line
}

// work does all that the task has to do. After an error it still receives the batches that it is
// handed, so that the other tasks can end.
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
			t.free(kept) // the first error is reported
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

// fill allocates a batch and writes each block's number. It returns the allocated blocks also
// beside an error.
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
		contents := t.memory.Bytes(block)[:t.size]
		if t.touch {
			write(contents, t.next)
		}
		binary.NativeEndian.PutUint64(contents, t.next)
		contents[t.size-1] = mark(t.next)
		blocks = append(blocks, block)
	}
	return blocks, nil
}

// write writes a block's number all over the block, a word at a time.
func write(contents []byte, number uint64) {
	for ; len(contents) >= 8; contents = contents[8:] {
		binary.NativeEndian.PutUint64(contents, number)
	}
	word := bytesOf(number)
	copy(contents, word[:])
}

// has reports whether a block is as write and its mark have left it.
func has(contents []byte, number uint64) bool {
	last := len(contents) - 1
	other := uint64(contents[last] ^ mark(number))
	for contents = contents[:last]; len(contents) >= 8; contents = contents[8:] {
		other |= binary.NativeEndian.Uint64(contents) ^ number
	}
	word := bytesOf(number)
	for i, b := range contents {
		other |= uint64(b ^ word[i])
	}
	return other == 0
}

// bytesOf returns the bytes of a number as they lie in memory.
func bytesOf(number uint64) (word [8]byte) {
	binary.NativeEndian.PutUint64(word[:], number)
	return word
}

// mark is the last byte of a block.
func mark(number uint64) byte { return byte(number) ^ 0xa5 }

// free frees all blocks of a batch. It returns an error if a block has lost its contents.
func (t *task[R]) free(blocks []R) (err error) {
	if blocks == nil {
		return nil
	}
	for _, block := range blocks {
		contents := t.memory.Bytes(block)[:t.size]
		number := binary.NativeEndian.Uint64(contents)
		if t.touch && !has(contents, number) && err == nil {
			err = fmt.Errorf("block %d has lost its contents", number)
		}
		if contents[t.size-1] != mark(number) && err == nil {
			err = fmt.Errorf("a block begins as number %d and ends as another one", number)
		}
		t.sum += number
		if failed := t.memory.Free(block); err == nil {
			err = failed
		}
	}
	clear(blocks) // or the collector would keep what was dropped
	t.spare = append(t.spare, blocks[:0])
	return err
}

// handOver gives a batch to the next task. While too many batches are under way there, it waits,
// and frees the batches that it is handed.
func (t *task[R]) handOver(blocks []R) error {
	for {
		select {
		case t.out <- blocks:
			return nil
		case more, open := <-t.in:
			if !open {
				t.in = nil // never ready again
			} else if err := t.free(more); err != nil {
				t.free(blocks) // the first error is reported
				return err
			}
		}
	}
}
