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

// Magic is how a stream begins; then come blocks:
//
//	type: 1 byte    length: 4 bytes    checksum of the contents: 4 bytes (CRC-32, Castagnoli)    contents
//
// Numbers are little-endian. What the contents are:
//
//	H   a Header, in JSON; the first block
//	N   names, in JSON: {"operations": {number: {name, state}}, "units": {number: name}}, those that the blocks before do not have
//	E   events: 4 bytes for the tape, 0 is outside and n+1 processor n; then words, of which a block goes on where the last one of that tape ended
//	M   8 bytes of ticks, 8 bytes of nanoseconds since the start: an instant on both clocks
//	Z   a Trailer, in JSON; the last block
const Magic = "freerun trace 1\n"

// Types of blocks.
const (
	BlockHeader  = 'H'
	BlockNames   = 'N'
	BlockEvents  = 'E'
	BlockMark    = 'M'
	BlockTrailer = 'Z'

	// BlockHead is how many bytes come before the contents of a block.
	BlockHead = 9
	// MostContents is how many bytes of contents a block has at most.
	MostContents = 1 << 26
)

// Header is how a stream begins.
type Header struct {
	Start      time.Time `json:"start"`
	Ticks      uint64    `json:"ticks"` // at the start
	Program    string    `json:"program"`
	Processors int       `json:"processors"`
	Virtual    bool      `json:"virtual,omitempty"`
	Window     bool      `json:"window,omitempty"` // only the end of what was recorded: the recording begins with its first event
}

// Trailer is how a stream that is whole ends.
type Trailer struct {
	Ticks      uint64   `json:"ticks"`
	Processors int      `json:"processors"` // the most that there were
	Lost       []uint64 `json:"lost"`       // events of each tape, all in all
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum returns that of the contents of a block.
func Checksum(contents []byte) uint32 { return crc32.Checksum(contents, castagnoli) }

// Stream writes a recording. Its first error stays.
type Stream struct {
	w      *bufio.Writer
	header Header
	names  *Names
	all    bool // names are told from the beginning
	buffer []uint64
	err    error
}

// NewStream begins a stream to w. One that is not the only one for its names says so with all.
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

// Drain writes what came onto a tape since the last time, and returns how many words that were.
func (s *Stream) Drain(tape int, t *Tape) int {
	s.buffer = t.Drain(s.buffer[:0])
	s.events(tape)
	return len(s.buffer)
}

// Last writes what a tape that overwrites holds.
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

// littleEndian says that words lie in memory as they are in a stream.
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

// Tell writes names that are new, and an instant of both clocks, and hands all on that was written.
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

// End writes what a whole stream ends with.
func (s *Stream) End(t Trailer) error {
	s.Tell()
	s.json(BlockTrailer, t)
	if s.err == nil {
		s.err = s.w.Flush()
	}
	return s.err
}
