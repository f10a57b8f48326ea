package record

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"io"
	"time"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sys/ticks"
)

// Magic begins a stream; blocks follow:
//
//	type: 1 byte | length: 4 bytes | checksum: 4 bytes (CRC-32, Castagnoli) | contents
//
// Numbers are little-endian. The contents by type:
//
//	H   a Header in JSON; the first block
//	N   names in JSON: {"operations": {number: {name, state}}, "units": {number: name}};
//	    those that no block before has
//	E   events: 4 bytes for the tape, where 0 is outside and n+1 is processor n; then words,
//	    which go on where the last block of that tape ended
//	M   8 bytes of ticks, 8 bytes of nanoseconds since the start: an instant on both clocks
//	Z   a Trailer in JSON; the last block
const Magic = "freerun trace 1\n"

// Types of blocks.
const (
	BlockHeader  = 'H'
	BlockNames   = 'N'
	BlockEvents  = 'E'
	BlockMark    = 'M'
	BlockTrailer = 'Z'

	// BlockHead is the number of bytes before the contents of a block.
	BlockHead = 9
	// MostContents limits the contents of a block, in bytes.
	MostContents = 1 << 26
)

// Header begins a stream.
type Header struct {
	Start      time.Time `json:"start"`
	Ticks      uint64    `json:"ticks"` // at the start
	Program    string    `json:"program"`
	Processors int       `json:"processors"`
	Virtual    bool      `json:"virtual,omitempty"`
	// Window says that only the end was recorded. Time 0 is its first event.
	Window bool `json:"window,omitempty"`
}

// Trailer ends a stream that is whole.
type Trailer struct {
	Ticks      uint64   `json:"ticks"`
	Processors int      `json:"processors"` // the greatest number at any time
	Lost       []uint64 `json:"lost"`       // by tape: the number of lost events
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum returns the checksum of the contents of a block.
func Checksum(contents []byte) uint32 { return crc32.Checksum(contents, castagnoli) }

// Stream writes a recording. It keeps its first error and writes nothing more then.
type Stream struct {
	w      *bufio.Writer
	header Header
	names  *Names
	all    bool // tells all names, not only new ones
	buffer []uint64
	err    error
}

// NewStream begins a stream to w. all says that other streams use the same names, so this one tells
// all of them.
func NewStream(w io.Writer, header Header, names *Names, all bool) *Stream {
	s := &Stream{w: bufio.NewWriterSize(w, 1<<16), header: header, names: names, all: all}
	if !all {
		names.telling = 0
	}
	_, s.err = s.w.WriteString(Magic)
	s.json(BlockHeader, header)
	return s
}

// Err returns the first error.
func (s *Stream) Err() error { return s.err }

func (s *Stream) json(kind byte, v any) {
	contents, err := json.Marshal(v)
	if err != nil {
		s.fail(err)
		return
	}
	s.block(kind, contents)
}

func (s *Stream) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

func (s *Stream) block(kind byte, parts ...[]byte) {
	var head [BlockHead]byte
	head[0] = kind
	size, sum := 0, uint32(0)
	for _, part := range parts {
		size += len(part)
		sum = crc32.Update(sum, castagnoli, part)
	}
	binary.LittleEndian.PutUint32(head[1:], uint32(size))
	binary.LittleEndian.PutUint32(head[5:], sum)
	s.write(head[:])
	for _, part := range parts {
		s.write(part)
	}
}

func (s *Stream) write(b []byte) {
	if s.err == nil {
		_, s.err = s.w.Write(b)
	}
}

// Drain writes the words that came onto a tape since the last Drain, and returns their number.
func (s *Stream) Drain(tape int, t *Tape) int {
	s.buffer = t.Drain(s.buffer[:0])
	s.events(tape)
	return len(s.buffer)
}

// Last writes what an overwriting tape holds.
func (s *Stream) Last(tape int, t *Tape) {
	s.buffer = t.Last(s.buffer[:0])
	s.events(tape)
}

// Words writes words as if they came from a tape.
func (s *Stream) Words(tape int, words []uint64) {
	s.buffer = append(s.buffer[:0], words...)
	s.events(tape)
}

func (s *Stream) events(tape int) {
	const most = MostContents/8 - 1
	for left := s.buffer; len(left) > 0 && s.err == nil; {
		n := min(len(left), most)
		var number [4]byte
		binary.LittleEndian.PutUint32(number[:], uint32(tape))
		s.block(BlockEvents, number[:], bytesOf(left[:n]))
		left = left[n:]
	}
}

// littleEndian says that words lie in memory as in a stream.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

func bytesOf(words []uint64) []byte {
	if littleEndian {
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
	}
	out := make([]byte, 0, 8*len(words))
	for _, w := range words {
		out = binary.LittleEndian.AppendUint64(out, w)
	}
	return out
}

// Tell writes new names and an instant on both clocks, and flushes.
func (s *Stream) Tell() {
	if t, some := s.names.tell(s.all); some {
		s.json(BlockNames, t)
	}
	if !s.header.Virtual {
		now := ticks.Take()
		b := binary.LittleEndian.AppendUint64(nil, now.Ticks)
		s.block(BlockMark, binary.LittleEndian.AppendUint64(b, uint64(now.Time.Sub(s.header.Start))))
	}
	if s.err == nil {
		s.err = s.w.Flush()
	}
}

// End writes the trailer and flushes.
func (s *Stream) End(t Trailer) error {
	s.Tell()
	s.json(BlockTrailer, t)
	if s.err == nil {
		s.err = s.w.Flush()
	}
	return s.err
}
