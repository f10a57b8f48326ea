package recording

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/freerun-go/freerun/internal/record"
)

// ErrNotATrace says that the input does not begin as a recording does.
var ErrNotATrace = errors.New("recording: this is no recording of freerun; those begin with \"freerun trace 1\"")

// ErrTruncated says that a recording has no end: the program that made it was interrupted, or the
// file was cut off. The part that is there can be used.
var ErrTruncated = errors.New("recording: the recording has no end; it is cut off")

// ErrBroken says that a recording cannot be read beyond some place. The errors that wrap it say at
// which byte of the file the broken block begins, and why. The part before can be used.
var ErrBroken = errors.New("recording: the recording is broken")

// Read reads a recording until its end. If it fails with [ErrTruncated], [ErrBroken] or an
// error of r, it also returns the part that it has read, or nil if it has not read the header.
func Read(r io.Reader) (*Trace, error) {
	f := &file{r: bufio.NewReaderSize(r, 1<<16)}
	err := f.read()
	if f.header == nil {
		if err == nil || err == io.EOF {
			err = ErrTruncated
		}
		return nil, err
	}
	t, broken := f.resolve()
	if err == nil {
		err = broken
	}
	return t, err
}

// file holds the contents of the blocks of a recording.
type file struct {
	r      *bufio.Reader
	at     int64
	header *record.Header
	end    *record.Trailer
	mark   struct{ ticks, nanoseconds uint64 } // of the last block with one
	tapes  map[int][]uint64
	names  struct {
		Operations map[int]record.Operation `json:"operations"`
		Units      map[uint32]string        `json:"units"`
	}
	buffer []byte
}

func (f *file) read() error {
	magic := make([]byte, len(record.Magic))
	if n, err := io.ReadFull(f.r, magic); err != nil || string(magic) != record.Magic {
		if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
			return fmt.Errorf("recording: the recording cannot be read: %w", err)
		}
		if n > 0 && n < len(magic) && string(magic[:n]) == record.Magic[:n] {
			return ErrTruncated
		}
		return ErrNotATrace
	}
	f.at = int64(len(magic))
	f.tapes = map[int][]uint64{}
	f.names.Operations, f.names.Units = map[int]record.Operation{}, map[uint32]string{}
	for f.end == nil {
		if err := f.block(); err != nil {
			return err
		}
	}
	return nil
}

// block reads the next block.
func (f *file) block() error {
	var head [record.BlockHead]byte
	if _, err := io.ReadFull(f.r, head[:]); err != nil {
		return cut(err)
	}
	size := binary.LittleEndian.Uint32(head[1:])
	if size > record.MostContents {
		return f.broken("a block of %d bytes; there can be %d at most", size, record.MostContents)
	}
	// Read piece by piece, so that a false length costs no more memory than the file has bytes.
	f.buffer = f.buffer[:0]
	for left := int(size); left > 0; {
		n := min(left, 1<<20)
		from := len(f.buffer)
		f.buffer = append(f.buffer, make([]byte, n)...)
		if _, err := io.ReadFull(f.r, f.buffer[from:]); err != nil {
			return cut(err)
		}
		left -= n
	}
	if record.Checksum(f.buffer) != binary.LittleEndian.Uint32(head[5:]) {
		return f.broken("the checksum of a block is wrong")
	}
	if f.header == nil && head[0] != record.BlockHeader {
		return f.broken("the first block is no header")
	}
	if err := f.take(head[0], f.buffer); err != nil {
		return err
	}
	f.at += int64(len(head)) + int64(size)
	return nil
}

func cut(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return ErrTruncated
	}
	return fmt.Errorf("recording: the recording cannot be read: %w", err)
}

func (f *file) broken(format string, args ...any) error {
	return fmt.Errorf("%w at byte %d: %s", ErrBroken, f.at, fmt.Sprintf(format, args...))
}

// mostTapes limits the tapes: one for each processor, and one for outside.
const mostTapes = 1 << 15

// take reads the contents of a block.
func (f *file) take(kind byte, contents []byte) error {
	var err error
	switch kind {
	case record.BlockHeader:
		if f.header != nil {
			return f.broken("a second header")
		}
		h := new(record.Header)
		if err = json.Unmarshal(contents, h); err == nil {
			f.header = h
		}
	case record.BlockNames:
		err = json.Unmarshal(contents, &f.names)
	case record.BlockMark:
		if len(contents) != 16 {
			return f.broken("an instant of %d bytes, not 16", len(contents))
		}
		f.mark.ticks, f.mark.nanoseconds = binary.LittleEndian.Uint64(contents), binary.LittleEndian.Uint64(contents[8:])
	case record.BlockEvents:
		if len(contents)%8 != 4 {
			return f.broken("events of %d bytes, which must be a multiple of 8", len(contents)-4)
		}
		tape := binary.LittleEndian.Uint32(contents)
		if tape >= mostTapes {
			return f.broken("events of tape %d", tape)
		}
		words := f.tapes[int(tape)]
		for b := contents[4:]; len(b) > 0; b = b[8:] {
			words = append(words, binary.LittleEndian.Uint64(b))
		}
		f.tapes[int(tape)] = words
	case record.BlockTrailer:
		end := new(record.Trailer)
		if err = json.Unmarshal(contents, end); err == nil {
			f.end = end
		}
	default:
		return f.broken("a block of type %q, which is not known", kind)
	}
	if err != nil {
		return f.broken("a block of type %q: %v", kind, err)
	}
	return nil
}
