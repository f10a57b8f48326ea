package ddb

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func newFramer() framer { return framer{maxArguments: 5, maxBulk: 20, maxRequest: 60} }

// TestFrameInPieces: a stream gives the same requests and the same error, however it is split.
func TestFrameInPieces(t *testing.T) {
	for _, stream := range []string{
		request("get", "a") + request("set", "a", "b\r\n$") + "ping\r\n" + request(""),
		"*0\r\n*-1\r\n\r\n" + request("ping"),
		request("a") + "*1\r\n$-2\r\nab",
		request("a") + "*1\r\nx",
		request("a") + "*6\r\n",
		request("a") + "*1\r\n$21\r\n",
		"*4\r\n$20\r\n01234567890123456789\r\n$20\r\n01234567890123456789\r\n$20\r\n",
		"*1\r\n$3\r\nabcd\r\n",
		"$5 foo\r\n",
		"*18446744073709551617\r\n$1\r\na\r\n",
		"*1\r\n$18446744073709551617\r\na\r\n",
		"*1\n$1\na\n",
		"set \"a b\" 'c'\r\n",
		"set \"a\r\n",
	} {
		whole := collectFrames(stream, len(stream))
		for piece := 1; piece < len(stream); piece++ {
			if got := collectFrames(stream, piece); got != whole {
				t.Fatalf("%q in pieces of %d: %s\nas a whole: %s", stream, piece, got, whole)
			}
		}
	}
}

// collectFrames returns the requests and the error of a stream that arrives in pieces.
func collectFrames(stream string, piece int) string {
	var (
		seen strings.Builder
		f    = newFramer()
		have []byte
	)
	for rest := []byte(stream); ; {
		kind, size, err := f.frame(have)
		if err == nil && kind != incomplete && kind != empty {
			var args [][]byte
			if args, err = arguments(kind, have[:size], nil); err == nil {
				fmt.Fprintf(&seen, "%q ", args)
			}
		}
		switch {
		case err != nil:
			fmt.Fprint(&seen, err)
			return seen.String()
		case kind != incomplete:
			have = have[size:]
		case len(rest) == 0:
			return seen.String()
		default:
			n := min(piece, len(rest))
			have, rest = append(have, rest[:n]...), rest[n:]
		}
	}
}

func TestFrameErrors(t *testing.T) {
	for _, test := range []struct{ stream, want string }{
		{"*x\r\n", "invalid multibulk length"},
		{"*6\r\n", "invalid multibulk length"},
		{"*3\n", "invalid multibulk length"},
		{"*99999999999999999999\r\n", "invalid multibulk length"},
		{"*1\r\n:1\r\n", "expected '$', got ':'"},
		{"*1\r\n$x\r\n", "invalid bulk length"},
		{"*1\r\n$-1\r\n", "invalid bulk length"},
		{"*1\r\n$-9223372036854775808\r\n", "invalid bulk length"},
		{"*1\r\n$9223372036854775807\r\n", "invalid bulk length"},
		{"*1\r\n$21\r\n", "invalid bulk length"},
		{"*1\r\n$2\r\nabcd", "invalid bulk length"},
		{"*5\r\n$20\r\n01234567890123456789\r\n$20\r\n01234567890123456789\r\n$20\r\n", "request exceeds the limit of this server"},
		{"*" + strings.Repeat("1", maxLine), "too big mbulk count string"},
		{"*1\r\n$" + strings.Repeat("1", maxLine), "too big bulk count string"},
		{strings.Repeat("a", maxLine), "too big inline request"},
		{"get \"a\r\n", "unbalanced quotes in request"},
	} {
		got := collectFrames(test.stream, len(test.stream))
		if want := "ERR Protocol error: " + test.want; got != want {
			t.Errorf("%.40q: %q, want %q", test.stream, got, want)
		}
	}
}

// TestFrameLooksOnce: the work for a request of many arguments that arrives in small pieces is
// linear in its length, not quadratic. The framer's position shows it.
func TestFrameLooksOnce(t *testing.T) {
	f := framer{maxArguments: 1 << 20, maxBulk: 1 << 20, maxRequest: 1 << 30}
	stream := request(strings.Split(strings.Repeat("a ", 1000), " ")...)
	last := 0
	for have := 1; have < len(stream); have++ {
		if kind, _, err := f.frame([]byte(stream[:have])); kind != incomplete || err != nil {
			t.Fatalf("at %d of %d: %v %v", have, len(stream), kind, err)
		}
		if f.next < last || (f.left > 0 && have-f.next > 16) {
			t.Fatalf("at %d the framer stands at %d, after %d", have, f.next, last)
		}
		last = f.next
	}
}

// FuzzFrame: no bytes make the framer or redcon's parser panic, loop, or take more than there is.
func FuzzFrame(f *testing.F) {
	f.Add([]byte(request("set", "a", "b")))
	f.Add([]byte("*1\r\n$-2\r\nab\r\n"))
	f.Add([]byte("$99999999999999999999 a\r\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		state := newFramer()
		for rest := bytes.Clone(stream); ; {
			kind, size, err := state.frame(rest)
			if err != nil || kind == incomplete {
				return
			}
			if size <= 0 || size > len(rest) {
				t.Fatalf("%d of %d bytes", size, len(rest))
			}
			if kind != empty {
				if _, err := arguments(kind, rest[:size], nil); err != nil {
					return
				}
			}
			rest = rest[size:]
		}
	})
}
