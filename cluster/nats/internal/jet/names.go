package jet

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// names are the names of a program in the servers, which has so many pairs of streams there.
type names struct {
	program string
	pairs   int
}

var program = regexp.MustCompile(`^[a-z0-9_-]{1,64}$`)

func newNames(name string, pairs int) (names, error) {
	if !program.MatchString(name) {
		return names{}, fmt.Errorf("nats: the name of the program is %q; it needs 1 to 64 of a to z, 0 to 9, _ and -", name)
	}
	return names{name, pairs}, nil
}

func (n names) logs(pair int) string    { return n.program + "-in-" + strconv.Itoa(pair) }
func (n names) entries(pair int) string { return n.program + "-st-" + strconv.Itoa(pair) }

// streams returns the names of all streams, pair by pair. The first one has the marks of the store.
func (n names) streams() (all []string) {
	for pair := range n.pairs {
		all = append(all, n.logs(pair), n.entries(pair))
	}
	return all
}

// pairOf returns the pair of streams that has a partition.
func (n names) pairOf(p int) int { return p % n.pairs }

func (n names) logsOf(p int) string    { return n.logs(n.pairOf(p)) }
func (n names) entriesOf(p int) string { return n.entries(n.pairOf(p)) }
func (n names) in(p int) string        { return n.subject("in", p) }
func (n names) trimmed(p int) string   { return n.subject("trim", p) }
func (n names) live(p int) string      { return n.program + ".log." + strconv.Itoa(p) }

// subject returns the subject of a partition, which has its pair in it: so the subjects of a stream
// are one pattern.
func (n names) subject(of string, p int) string {
	return n.program + "." + of + "." + strconv.Itoa(n.pairOf(p)) + "." + strconv.Itoa(p)
}

// pattern returns that of the subjects of a pair, which have so many tokens behind it.
func (n names) pattern(of string, pair, tokens int) string {
	return n.program + "." + of + "." + strconv.Itoa(pair) + strings.Repeat(".*", tokens)
}

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
	return n.subject("st", p) + "." + escape(key[:first]) + "." + escape(key[first:])
}

// entriesWith is the filter for entries whose keys begin with the first byte of a prefix; for all
// if it has none.
func (n names) entriesWith(p int, prefix []byte) string {
	first := "*"
	if len(prefix) > 0 {
		first = escape(prefix[:1])
	}
	return n.subject("st", p) + "." + first + ".*"
}

// keyOf returns the key of the entry of a subject.
func (n names) keyOf(subject string) ([]byte, error) {
	tokens := strings.Split(subject, ".")
	if len(tokens) != 6 {
		return nil, fmt.Errorf("nats: the subject %s is not that of an entry", subject)
	}
	first, err := unescape(tokens[4])
	rest, err2 := unescape(tokens[5])
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
