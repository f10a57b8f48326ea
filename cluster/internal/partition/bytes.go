package partition

import "github.com/freerun-go/freerun/cluster/internal/wire"

// reader reads what was appended.
type reader struct{ wire.Reader }

func readerOf(b []byte) reader { return reader{wire.Reader{Rest: b}} }

func (r *reader) number() Number { return Number{r.Uvarint(), r.Uvarint()} }

// partition reads the number of a partition.
func (r *reader) partition() int {
	n := r.Uvarint()
	if n > 1<<30 {
		r.Bad = true
		return 0
	}
	return int(n)
}
