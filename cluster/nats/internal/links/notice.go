package links

import (
	"crypto/sha256"
	"errors"

	"github.com/freerun-go/freerun/cluster/internal/wire"
)

// fingerprint names a key: the hash of its certificate.
type fingerprint [sha256.Size]byte

// notice is what two machines tell each other over the servers before they connect.
type notice struct {
	asks    bool // for an invitation
	from    string
	address string // where the machine listens
	key     fingerprint
}

// IsNotice reports whether a message on the bus is for [Mesh.Hear].
func IsNotice(b []byte) bool { return len(b) > 0 && b[0] == marker }

// marker begins a notice. The messages of package partition begin with a version, which is small.
const marker = 0xF1

func (n notice) encode() []byte {
	asks := byte(0)
	if n.asks {
		asks = 1
	}
	b := append([]byte{marker, version, asks}, n.key[:]...)
	return wire.AppendBytes(wire.AppendBytes(b, n.from), n.address)
}

const version = 1

var errNotice = errors.New("links: the notice is damaged, or of a newer program")

func decodeNotice(b []byte) (n notice, err error) {
	const head = 3 + sha256.Size
	if len(b) < head || b[0] != marker || b[1] != version || b[2] > 1 {
		return n, errNotice
	}
	n.asks, n.key = b[2] == 1, fingerprint(b[3:head])
	r := wire.Reader{Rest: b[head:]}
	n.from, n.address = string(r.Bytes()), string(r.Bytes())
	if r.Bad || n.from == "" || n.address == "" {
		return n, errNotice
	}
	return n, nil
}
