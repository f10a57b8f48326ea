package jet

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// names are the names of a program in the server.
type names struct{ program string }

var program = regexp.MustCompile(`^[a-z0-9_-]{1,64}$`)

func newNames(name string) (names, error) {
	if !program.MatchString(name) {
		return names{}, fmt.Errorf("nats: the name of the program is %q; it needs 1 to 64 of a to z, 0 to 9, _ and -", name)
	}
	return names{name}, nil
}

func (n names) logs() string          { return n.program + "-in" }
func (n names) entries() string       { return n.program + "-st" }
func (n names) in(p int) string       { return n.program + ".in." + strconv.Itoa(p) }
func (n names) live(p int) string     { return n.program + ".log." + strconv.Itoa(p) }
func (n names) trimmed(p int) string  { return n.program + ".trim." + strconv.Itoa(p) }
func (n names) entry(k []byte) string { return n.program + ".st." + escape(k) }

const digits = "0123456789ABCDEF"

// escape makes one token of a subject of a key. It keeps the order of no two keys.
func escape(key []byte) string {
	var b strings.Builder
	b.Grow(len(key) + 8)
	for _, c := range key {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-':
			b.WriteByte(c)
		default:
			b.WriteByte('=')
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&15])
		}
	}
	if b.Len() == 0 {
		return "="
	}
	return b.String()
}
