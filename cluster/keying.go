package cluster

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"unicode/utf8"

	"github.com/freerun-go/freerun/cluster/internal/codec"
	"github.com/freerun-go/freerun/internal/route"
)

// keying is how the keys of a kind become text, and are read again.
type keying struct {
	given string // the kind's name in its declaration
	key   reflect.Type
	keys  *codec.Codec // nil for keys that are strings or integers
}

// mostKey is how long a key may be, in bytes, once encoded.
const mostKey = 512

func keyingOf(d route.Declared) (k keying, err error) {
	k = keying{given: d.Given, key: d.Key}
	if !plainKey(d.Key) {
		if k.keys, err = codec.Of(d.Key); err != nil {
			return k, fmt.Errorf("the keys: %w", err)
		}
	}
	return k, nil
}

// plainKey reports whether keys of a type are stored as their text.
func plainKey(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return true
	}
	return false
}

// keyText returns a key as it is stored.
func (k *keying) keyText(key any) (string, error) {
	var text string
	switch v := reflect.ValueOf(key); {
	case k.keys != nil:
		at := reflect.New(k.key)
		at.Elem().Set(v)
		b, err := k.keys.Append(nil, at.Interface())
		if err != nil {
			return "", fmt.Errorf("cluster: the key %v of kind %s: %w", key, k.given, err)
		}
		text = string(b)
		if err := k.comesBack(key, text); err != nil {
			return "", err
		}
	case v.Kind() == reflect.String:
		if text = v.String(); !utf8.ValidString(text) {
			return "", fmt.Errorf("cluster: the key %q of kind %s is not UTF-8", text, k.given)
		}
	case v.CanInt():
		text = strconv.FormatInt(v.Int(), 10)
	default:
		text = strconv.FormatUint(v.Uint(), 10)
	}
	if len(text) > mostKey {
		return "", fmt.Errorf("cluster: the key %.40q… of kind %s has %d bytes; a key of a durable unit has at most %d", text, k.given, len(text), mostKey)
	}
	return text, nil
}

// comesBack returns an error if a key is another one once it has been stored: two such keys may
// have one record, and two units would write it.
func (k *keying) comesBack(key any, text string) error {
	at := reflect.New(k.key)
	if err := k.readKey(text, at.Interface()); err != nil {
		return fmt.Errorf("cluster: the key %v of kind %s: it cannot be read again: %w", key, k.given, err)
	}
	if stored := at.Elem().Interface(); stored != key {
		return fmt.Errorf("cluster: the key %v of kind %s is another one once it has been stored as %q; use keys without pointers, and without fields that are not stored (of a time.Time, which has both, its UnixNano)", key, k.given, text)
	}
	if holdsNegativeZero(reflect.ValueOf(key)) {
		return fmt.Errorf("cluster: the key %v of kind %s holds -0, which is the same key as 0, and is another one once it has been stored; use 0", key, k.given)
	}
	return nil
}

// holdsNegativeZero reports whether a key holds a -0: Go compares it equal to 0, and it has another
// text.
func holdsNegativeZero(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		return v.Float() == 0 && math.Signbit(v.Float())
	case reflect.Complex64, reflect.Complex128:
		return holdsNegativeZero(reflect.ValueOf(real(v.Complex()))) || holdsNegativeZero(reflect.ValueOf(imag(v.Complex())))
	case reflect.Struct:
		for i := range v.NumField() {
			if holdsNegativeZero(v.Field(i)) {
				return true
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			if holdsNegativeZero(v.Index(i)) {
				return true
			}
		}
	}
	return false
}

// readKey decodes a key into at, a pointer.
func (k *keying) readKey(text string, at any) error {
	v := reflect.ValueOf(at).Elem()
	switch {
	case k.keys != nil:
		return k.keys.Decode([]byte(text), at)
	case v.Kind() == reflect.String:
		v.SetString(text)
		return nil
	case v.CanInt():
		n, err := strconv.ParseInt(text, 10, v.Type().Bits())
		v.SetInt(n)
		return err
	}
	n, err := strconv.ParseUint(text, 10, v.Type().Bits())
	v.SetUint(n)
	return err
}
