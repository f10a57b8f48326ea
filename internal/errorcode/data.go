package errorcode

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// mostText is the number of bytes that a text may have.
const mostText = 64 << 10

// Data is an error as data. The zero Data is no error.
type Data struct {
	// Text is what the error says, in UTF-8: bytes that are not of it are U+FFFD. Of a text of more
	// than 64 KiB it has the beginning, and a remark that says so.
	Text string `json:"text"`
	// Names are the stored names of the registered errors that errors.Is finds in the error, at
	// most 64, in order.
	Names []string `json:"is,omitempty"`
}

// Encode returns err as data; for nil the zero Data. Any goroutine may call it.
//
// Names has the registered errors for which errors.Is(err, …) is true, with two limits: Encode
// looks at no more than 1024 errors of the tree, and at none that is wrapped more than 100 times.
// So a tree that leads back to itself ends, too. An error that was decoded keeps its names, also
// those that nobody has registered here.
//
// Encode calls the methods of err on its caller's goroutine. A method Error that panics, or returns
// nothing, counts as a text that says so; another one that panics as the answer no. One that calls
// runtime.Goexit ends the goroutine: Encode holds nothing then.
func Encode(err error) Data {
	if err == nil {
		return Data{}
	}
	return Data{Text: cut(textOf(err)), Names: namesIn(err)}
}

// IsZero reports whether d is no error. So a field with omitzero is left out.
func (d Data) IsZero() bool { return d.Text == "" && len(d.Names) == 0 }

// Error returns the error that d is the data of; nil for the zero Data. Any goroutine may call it.
//
// The error has the text of d, and errors.Is finds the errors that are registered here by the
// names of d. It does not find those that are not, but keeps their names for [Encode]. If d says no
// more than one registered error does, Error returns that one, so that == finds it, too. The limits
// of Encode hold for data from elsewhere as well: what is beyond them is cut off.
func (d Data) Error() error {
	if d.IsZero() {
		return nil
	}
	e := &decoded{text: cut(d.Text), names: normal(slices.Clone(d.Names))}
	for _, name := range e.names {
		if err := named(name); err != nil {
			e.known = append(e.known, err)
		}
	}
	if len(e.names) == 1 && len(e.known) == 1 && textOf(e.known[0]) == e.text {
		return e.known[0]
	}
	return e
}

// cut returns text in UTF-8, and no more of it than is allowed. What it returns it leaves as it is.
func cut(text string) string {
	whole := len(text)
	text = strings.ToValidUTF8(text[:min(whole, mostText+utf8.UTFMax)], "\uFFFD")
	if whole <= mostText && len(text) <= mostText {
		return text
	}
	remark := fmt.Sprintf("… (cut: the text has %d bytes)", whole)
	at := min(len(text), mostText-len(remark))
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at] + remark
}
