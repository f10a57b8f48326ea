package jet

import (
	"errors"
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

func (n names) logs() string         { return n.program + "-in" }
func (n names) entries() string      { return n.program + "-st" }
func (n names) in(p int) string      { return n.program + ".in." + strconv.Itoa(p) }
func (n names) live(p int) string    { return n.program + ".log." + strconv.Itoa(p) }
func (n names) trimmed(p int) string { return n.program + ".trim." + strconv.Itoa(p) }

// bus is the subject of messages to a machine, or to all if its name is empty.
func (n names) bus(machine string) string {
	if machine == "" {
		return n.program + ".all"
	}
	return n.program + ".machine." + machine
}

// entry is the subject of an entry. The first byte of the key, which says what is there, has a
// token of its own.
func (n names) entry(p int, key []byte) string {
	first := min(len(key), 1)
	return n.program + ".st." + strconv.Itoa(p) + "." + escape(key[:first]) + "." + escape(key[first:])
}

// entriesWith is the filter for entries whose keys begin with the first byte of a prefix; for all
// if it has none.
func (n names) entriesWith(p int, prefix []byte) string {
	first := "*"
	if len(prefix) > 0 {
		first = escape(prefix[:1])
	}
	return n.program + ".st." + strconv.Itoa(p) + "." + first + ".*"
}

// keyOf returns the key of the entry of a subject.
func (n names) keyOf(subject string) ([]byte, error) {
	tokens := strings.Split(subject, ".")
	if len(tokens) != 5 {
		return nil, fmt.Errorf("nats: the subject %s is not that of an entry", subject)
	}
	first, err := unescape(tokens[3])
	rest, err2 := unescape(tokens[4])
	return append(first, rest...), errors.Join(err, err2)
}

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

// unescape returns what escape was given.
func unescape(token string) ([]byte, error) {
	b := []byte{}
	for i := 0; i < len(token) && token != "="; i++ {
		if token[i] != '=' {
			b = append(b, token[i])
			continue
		}
		if i+2 >= len(token) {
			return nil, fmt.Errorf("nats: %s is not the token of a key", token)
		}
		c, err := strconv.ParseUint(token[i+1:i+3], 16, 8)
		if err != nil {
			return nil, fmt.Errorf("nats: %s is not the token of a key", token)
		}
		b = append(b, byte(c))
		i += 2
	}
	return b, nil
}
