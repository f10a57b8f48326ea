package codec

import (
	"fmt"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

const (
	// mostBytes is how long a value may be, with its form.
	mostBytes = 16 << 20
	// mostDepth is how deep the arrays and objects of a value in JSON may lie in each other.
	mostDepth = 1000
	// mostRoom is how much memory what is made for the values in a text may take: a text of few
	// bytes may name many elements of a large type.
	mostRoom = 512 << 20
)

// look holds the findings of one pass over a JSON text.
type look struct {
	depth  int   // of the deepest array or object
	values int64 // an upper bound of how many values there are
}

// lookAt passes over text, which need not be JSON: the decoder reports that.
func lookAt(text []byte) look {
	l := look{values: 1}
	depth, within, escaped := 0, false, false
	for _, c := range text {
		switch {
		case escaped:
			escaped = false
		case within:
			switch c {
			case '\\':
				escaped = true
			case '"':
				within = false
			}
		case c == '"':
			within = true
		case c == '{', c == '[':
			depth++
			l.depth = max(l.depth, depth)
			l.values++
		case c == '}', c == ']':
			depth--
		case c == ',':
			l.values++
		}
	}
	return l
}

// checked returns an error for a text that goes beyond the limits.
func (c *Codec) checked(text []byte) error {
	l := lookAt(text)
	switch {
	case len(text) >= mostBytes:
		return fmt.Errorf("%w: it takes %d bytes, and may take %d; keep parts of it in units of their own", engine.ErrTooLarge, len(text)+1, mostBytes)
	case l.depth > mostDepth:
		return fmt.Errorf("its arrays and objects lie %d deep in each other, and may %d", l.depth, mostDepth)
	case l.values > mostRoom/int64(max(1, min(c.widest, mostRoom))):
		return fmt.Errorf("its %d values would take up to %d bytes each, and all may take %d; keep parts of it in units of their own", l.values, c.widest, mostRoom)
	}
	return nil
}
