package codec

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// The forms, as the first byte says.
const (
	formJSON = 'j'
	// FormBinary is the form of what a type's own methods write.
	FormBinary = 'b'
)

// Codec makes the values of one type into bytes and back. It does not change; any goroutine may use
// it. Make it with [Of].
type Codec struct {
	t       reflect.Type
	pointer reflect.Type // to t
	binary  bool         // the type has a form of its own
	noJSON  error        // why the type cannot be JSON; nil if it can
	null    bool         // a value may be null
	calls   bool         // the type, or one in it, has methods of the user's that are called
	widest  uintptr      // the largest thing for which one value of JSON makes room
}

// Of returns the codec of t. The error names the field, says why it cannot be stored, and what to
// do. It refuses
//
//   - channels, functions, complex numbers, unsafe pointers, and maps whose keys are no text;
//   - interfaces: nothing would tell the type of what is in them;
//   - fields that JSON leaves out, as they are not exported, have the tag json:"-", or share their
//     name with another field. The tag durable:"-" says that a field need not be kept: it is zero
//     afterwards. Blank fields and those without a size hold nothing;
//   - methods for one direction only, and methods of an embedded field which would write that field
//     in place of the whole struct.
//
// Types with methods of their own are not looked into, but for futures: of those, the result is.
func Of(t reflect.Type) (*Codec, error) {
	if t == nil {
		return nil, errors.New("cluster: no type, so nothing can be stored")
	}
	c := &Codec{t: t, pointer: reflect.PointerTo(t)}
	writes := c.pointer.Implements(binaryAppender) || c.pointer.Implements(binaryMarshaler)
	if writes && c.pointer.Implements(binaryUnmarshaler) {
		if by := promoted(t, binaryMethods); by != "" {
			return nil, fmt.Errorf("cluster: values of %v cannot be stored: its methods for bytes are those of the embedded field %s, which alone would be stored; "+
				"give the field a name, or %[1]v methods of its own", t, by)
		}
		c.binary = true
	}
	check := checker{seen: map[place]bool{}}
	c.noJSON = check.value(t, t.String(), true)
	c.widest = check.widest
	c.calls = check.calls || c.binary && !trusted(t)
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		c.null = true
	default:
		c.null = hasOwnJSON(t)
	}
	if c.noJSON != nil && !c.binary {
		return nil, fmt.Errorf("cluster: values of %v cannot be stored: %w", t, c.noJSON)
	}
	return c, nil
}

// Type returns the type whose values c encodes.
func (c *Codec) Type() reflect.Type { return c.t }

// Append appends the value to which value, a *T, points, and returns the longer slice. With an
// error it returns dst as it was. The value must not be changed meanwhile.
//
// A method of the user's that panics, or calls runtime.Goexit, is an error; bytes behind dst may
// have been written then.
func (c *Codec) Append(dst []byte, value any) (longer []byte, err error) {
	if err := c.accepts(value); err != nil {
		return dst, err
	}
	if c.calls {
		return c.appendApart(dst, value)
	}
	return c.append(dst, value)
}

func (c *Codec) append(dst []byte, value any) (longer []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			longer, err = dst, c.panicked("written", v)
		}
	}()
	if c.binary {
		longer, err = appendBinary(append(dst, FormBinary), value)
	} else {
		longer, err = c.appendJSON(append(dst, formJSON), value)
	}
	switch {
	case err != nil:
		return dst, fmt.Errorf("cluster: a value of %v cannot be stored: %w", c.t, err)
	case len(longer)-len(dst) > mostBytes:
		return dst, fmt.Errorf("cluster: a value of %v cannot be stored: %w: it takes %d bytes, and may take %d; keep parts of it in units of their own", c.t, engine.ErrTooLarge, len(longer)-len(dst), mostBytes)
	}
	return longer, nil
}

// appendBinary appends what the type writes. It hands out no byte that is written already.
func appendBinary(dst []byte, value any) ([]byte, error) {
	var text []byte
	var err error
	if a, ok := value.(encoding.BinaryAppender); ok {
		text, err = a.AppendBinary(dst[len(dst):])
	} else {
		text, err = value.(encoding.BinaryMarshaler).MarshalBinary()
	}
	if err != nil {
		return nil, err
	}
	return append(dst, text...), nil // copies nothing if it lies there already
}

func (c *Codec) appendJSON(dst []byte, value any) ([]byte, error) {
	if longer, done := appendPlain(dst, value); done {
		return longer, nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	// What could not be read again must not be written.
	if err := c.checked(text); err != nil {
		return nil, err
	}
	if mayBeReplaced(text) {
		if err := notUTF8(reflect.ValueOf(value).Elem(), c.t.String()); err != nil {
			return nil, err
		}
	}
	return append(dst, text...), nil
}

// Decode makes src, which Append has written, the value to which value, a *T, points. What was
// there before is gone; after an error the value is zero. The value keeps no part of src.
//
// src may be anything: its length and depth, and the room that it would take, are limited before
// anything is made. Bytes behind the value are an error. A method of the user's that panics, or
// calls runtime.Goexit, is an error.
func (c *Codec) Decode(src []byte, value any) error {
	if err := c.accepts(value); err != nil {
		return err
	}
	if c.calls {
		return c.decodeApart(src, value)
	}
	return c.read(src, value)
}

func (c *Codec) read(src []byte, value any) (err error) {
	whole := false
	defer func() {
		if v := recover(); v != nil {
			err = c.panicked("read", v)
		}
		if !whole { // also if the goroutine ends
			reflect.ValueOf(value).Elem().SetZero()
		}
	}()
	if err := c.decode(src, value); err != nil {
		return fmt.Errorf("cluster: %d bytes cannot be read as a value of %v: %w", len(src), c.t, err)
	}
	whole = true
	return nil
}

func (c *Codec) decode(src []byte, value any) error {
	switch {
	case len(src) == 0:
		return errors.New("nothing is there, not even the form")
	case len(src) > mostBytes:
		return fmt.Errorf("a value may take %d", mostBytes)
	}
	form, text := src[0], src[1:]
	switch {
	case form == FormBinary && c.binary:
		reflect.ValueOf(value).Elem().SetZero()
		return value.(encoding.BinaryUnmarshaler).UnmarshalBinary(text)
	case form == FormBinary:
		return errors.New("the type's own methods wrote them, and it has none now; " +
			"give it UnmarshalBinary, of encoding.BinaryUnmarshaler, and AppendBinary or MarshalBinary again")
	case form != formJSON:
		return fmt.Errorf("their form is %q, which this version does not know", form)
	case c.noJSON != nil:
		return fmt.Errorf("they are JSON, and the type has a form of its own now and cannot be read from JSON any more (%w); "+
			"have it read JSON until everything is written anew", c.noJSON)
	}
	if decodePlain(text, value) {
		return nil
	}
	if err := c.checked(text); err != nil {
		return err
	}
	if !c.null && isNull(text) {
		return errors.New("null is no such value")
	}
	reflect.ValueOf(value).Elem().SetZero()
	return json.Unmarshal(text, value)
}

// accepts returns an error unless value is a pointer to a value of the type.
func (c *Codec) accepts(value any) error {
	if t := reflect.TypeOf(value); t != c.pointer {
		return fmt.Errorf("cluster: a codec of %v needs a %v, and has a %v", c.t, c.pointer, t)
	}
	if reflect.ValueOf(value).IsNil() {
		return fmt.Errorf("cluster: a codec of %v needs a pointer to a value, and has a nil pointer", c.t)
	}
	return nil
}

// panicked returns the error for a value whose methods panicked with v, or called runtime.Goexit,
// while it was written or read.
func (c *Codec) panicked(done string, v any) error {
	if v == any(errExits) {
		return fmt.Errorf("cluster: a method of %v, or of a type in it, called runtime.Goexit while a value was %s", c.t, done)
	}
	if err, ok := v.(error); ok {
		return fmt.Errorf("cluster: a method of %v, or of a type in it, panicked while a value was %s: %w", c.t, done, err)
	}
	return fmt.Errorf("cluster: a method of %v, or of a type in it, panicked while a value was %s: %v", c.t, done, v)
}

func isNull(text []byte) bool { return string(bytes.TrimSpace(text)) == "null" }
