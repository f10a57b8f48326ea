package errorcode_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/freerun-go/freerun/internal/errorcode"
)

var (
	errPoor = errors.New("too little money")
	errShut = errors.New("the branch is shut")
)

func init() {
	errorcode.Register("test.errPoor", errPoor)
	errorcode.Register("test.errShut", errShut)
}

// throughJSON encodes err, writes and reads the data, and decodes that.
func throughJSON(t *testing.T, err error) (errorcode.Data, error) {
	t.Helper()
	d := errorcode.Encode(err)
	text, failed := json.Marshal(d)
	if failed != nil {
		t.Fatal(failed)
	}
	var read errorcode.Data
	if failed := json.Unmarshal(text, &read); failed != nil {
		t.Fatal(failed)
	}
	if !reflect.DeepEqual(d, read) {
		t.Errorf("%+v is read as %+v", d, read)
	}
	decoded := read.Error()
	if again := errorcode.Encode(decoded); !reflect.DeepEqual(again, d) {
		t.Errorf("encoded again: %+v, want %+v", again, d)
	}
	return d, decoded
}

// is is an error that says of itself what it is.
type is struct{ target error }

func (is) Error() string              { return "is" }
func (e is) Is(target error) bool     { return target == e.target }
func (e is) Unwrap() error            { panic("Unwrap panics") }
func wrap(text string, e error) error { return fmt.Errorf("%s: %w", text, e) }

// TestRoundTrip holds that text and identities survive, and no others come.
func TestRoundTrip(t *testing.T) {
	_, missing := os.Open("no such file")
	_, number := strconv.Atoi("x")
	for _, c := range []struct {
		err   error
		names []string
	}{
		{errors.New("boom"), nil},
		{errPoor, []string{"test.errPoor"}},
		{wrap("deposit", wrap("ada", errPoor)), []string{"test.errPoor"}},
		{errors.Join(errShut, errors.New("and"), wrap("then", errPoor)), []string{"test.errPoor", "test.errShut"}},
		{fmt.Errorf("%w, %w", io.EOF, context.Canceled), []string{"context.Canceled", "io.EOF"}},
		{is{errShut}, []string{"test.errShut"}},
		{is{nil}, nil},
		{missing, []string{"os.ErrNotExist"}},
		{syscall.EACCES, []string{"os.ErrPermission"}},
		{number, []string{"strconv.ErrSyntax"}},
		{context.DeadlineExceeded, []string{"context.DeadlineExceeded"}},
		{&fs.PathError{Op: "open", Path: "p", Err: io.ErrUnexpectedEOF}, []string{"io.ErrUnexpectedEOF"}},
	} {
		d, decoded := throughJSON(t, c.err)
		if !slices.Equal(d.Names, c.names) {
			t.Errorf("%q is %v, want %v", c.err, d.Names, c.names)
		}
		if decoded.Error() != c.err.Error() {
			t.Errorf("%q became %q", c.err, decoded)
		}
		for _, sentinel := range []error{errPoor, errShut, io.EOF, io.ErrUnexpectedEOF, context.Canceled, context.DeadlineExceeded, os.ErrNotExist, os.ErrPermission, strconv.ErrSyntax, strconv.ErrRange} {
			if want := errorsIs(c.err, sentinel); errors.Is(decoded, sentinel) != want {
				t.Errorf("%q decoded is %q: %t, want %t", c.err, sentinel, !want, want)
			}
		}
	}
	if _, decoded := throughJSON(t, io.EOF); decoded != io.EOF {
		t.Error("io.EOF is not itself, and readers compare it")
	}
}

// errorsIs is errors.Is for the error whose Unwrap panics.
func errorsIs(err, target error) (yes bool) {
	defer func() { _ = recover() }()
	return errors.Is(err, target)
}

func TestNil(t *testing.T) {
	if d := errorcode.Encode(nil); !d.IsZero() || d.Error() != nil {
		t.Errorf("%+v, %v", d, d.Error())
	}
	if d := errorcode.Encode(errors.New("")); d.IsZero() || d.Error() == nil {
		t.Error("an error without a text is lost")
	}
}

// TestUnknownName holds that a name of another program passes through this one.
func TestUnknownName(t *testing.T) {
	d := errorcode.Data{Text: "x", Names: []string{"later.ErrNew", "test.errPoor"}}
	err := wrap("wrapped", d.Error())
	if !errors.Is(err, errPoor) || errors.Is(err, errShut) {
		t.Error(err)
	}
	again := errorcode.Encode(err)
	if !slices.Equal(again.Names, d.Names) || again.Text != "wrapped: x" {
		t.Errorf("%+v", again)
	}
	only := errorcode.Data{Text: "x", Names: []string{"later.ErrNew"}}
	if again := errorcode.Encode(only.Error()); !reflect.DeepEqual(again, only) {
		t.Errorf("%+v", again)
	}
}

// cyclic wraps itself, more often the deeper.
type cyclic struct{ calls int }

func (*cyclic) Error() string     { return "cyclic" }
func (e *cyclic) Unwrap() []error { e.calls++; return []error{e, e, errPoor} }

// chain wraps itself once at each step.
type chain struct{ left int }

func (chain) Error() string { return "chain" }
func (e chain) Unwrap() error {
	if e.left == 0 {
		return errPoor
	}
	return chain{e.left - 1}
}

func TestLimits(t *testing.T) {
	c := &cyclic{}
	d, _ := throughJSON(t, c)
	if !slices.Equal(d.Names, []string{"test.errPoor"}) || c.calls > 2000 {
		t.Errorf("%v after %d calls of Unwrap", d.Names, c.calls)
	}
	if d := errorcode.Encode(chain{98}); len(d.Names) != 1 {
		t.Error("an error within the limit of depth is not found")
	}
	if d := errorcode.Encode(chain{1000}); len(d.Names) != 0 {
		t.Error("an error beyond the limit of depth is found")
	}
	const most = 64 << 10
	for _, text := range []string{
		strings.Repeat("x", most+1), strings.Repeat("€", most), strings.Repeat("x\xff", most/2), strings.Repeat("\xff", 2*most),
		"x" + strings.Repeat("€", most), "xx" + strings.Repeat("€", most),
	} {
		d, decoded := throughJSON(t, errors.New(text))
		if len(d.Text) > most || !utf8.ValidString(d.Text) || !strings.Contains(d.Text, fmt.Sprintf("cut: the text has %d bytes", len(text))) {
			t.Errorf("a text of %d bytes became one of %d: …%q", len(text), len(d.Text), d.Text[len(d.Text)-60:])
		}
		if decoded.Error() != d.Text {
			t.Error("the text is cut again")
		}
	}
	whole := strings.Repeat("x", most)
	if d := errorcode.Encode(errors.New(whole)); d.Text != whole {
		t.Error("a text of the most bytes is cut")
	}
	long := errorcode.Data{Text: strings.Repeat("x", 2*most), Names: []string{"no name", "", strings.Repeat("n", 200)}}
	for i := range 1000 {
		long.Names = append(long.Names, fmt.Sprintf("n%04d", i))
	}
	again := errorcode.Encode(long.Error())
	if len(again.Text) > most || len(again.Names) != 64 || again.Names[0] != "n0000" {
		t.Errorf("%d bytes, names %v", len(again.Text), again.Names)
	}
}

// broken has methods that panic.
type broken struct{ _ []int }

func (broken) Error() string { panic("no text") }
func (broken) Is(error) bool { panic("no answer") }

func TestMethodsThatPanic(t *testing.T) {
	for _, err := range []error{broken{}, (*fs.PathError)(nil)} {
		_, decoded := throughJSON(t, err)
		if text := decoded.Error(); !strings.Contains(text, fmt.Sprintf("%T", err)) || !strings.Contains(text, "panicked") {
			t.Errorf("%q", text)
		}
	}
	if d := errorcode.Encode(broken{}); !strings.Contains(d.Text, "no text") || d.Names != nil {
		t.Errorf("%+v", d)
	}
}

// leaves ends the goroutine of whoever asks for its text.
type leaves struct{}

func (leaves) Error() string { runtime.Goexit(); return "" }

// TestGoexit holds that the end of the goroutine is neither hidden nor leaves a lock behind.
func TestGoexit(t *testing.T) {
	returned, ended := false, make(chan struct{})
	go func() {
		defer close(ended)
		errorcode.Encode(leaves{})
		returned = true
	}()
	<-ended
	if returned {
		t.Error("Encode returned after runtime.Goexit")
	}
	errorcode.Register("test.afterGoexit", errors.New("after"))
}

func TestRegisterPanics(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		says string
	}{
		{"", errors.New("x"), "no name"},
		{"a b", errors.New("x"), "no name"},
		{"ä", errors.New("x"), "no name"},
		{strings.Repeat("n", 129), errors.New("x"), "no name"},
		{"test.nil", nil, "nil error"},
		{"test.errPoor", errors.New("x"), "two errors"},
		{"test.again", errPoor, "test.errPoor already"},
		{"test.broken", broken{}, "cannot compare"},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.Contains(said, c.says) {
					t.Errorf("Register(%q) says %q, want %q", c.name, said, c.says)
				}
			}()
			errorcode.Register(c.name, c.err)
		})
	}
}
