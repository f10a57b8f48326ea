package codec

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"unicode/utf8"
)

var errInvalid = errors.New("is not UTF-8, and JSON would change it; use a []byte")

// mayBeReplaced reports whether JSON has a replacement character, which encoding/json writes for
// what is not UTF-8, and which a string may have of its own.
func mayBeReplaced(text []byte) bool {
	return bytes.Contains(text, []byte(`\ufffd`)) || bytes.Contains(text, []byte("\uFFFD"))
}

// notUTF8 returns an error that names the first string in v that is not UTF-8, nil if all are. JSON
// would store other bytes in its place. v was made into JSON, so it does not lead back to itself.
// Types that write themselves are not looked into, but for futures.
func notUTF8(v reflect.Value, path string) error {
	if _, ok := futureOf(v.Type()); ok {
		outcome := v.MethodByName("Result").Call(nil)
		return notUTF8(outcome[0], path+"'s result") // zero without one
	}
	if v.Kind() != reflect.Pointer && v.Kind() != reflect.Interface && hasOwnJSON(v.Type()) {
		return nil
	}
	switch v.Kind() {
	case reflect.String:
		if !utf8.ValidString(v.String()) {
			return fmt.Errorf("%s %w", path, errInvalid)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			return notUTF8(v.Elem(), path)
		}
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return nil
		}
		for i := range v.Len() {
			if err := notUTF8(v.Index(i), fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		for entry := v.MapRange(); entry.Next(); {
			if err := notUTF8(entry.Key(), fmt.Sprintf("%s[%q]", path, entry.Key())); err != nil {
				return err
			}
			if err := notUTF8(entry.Value(), fmt.Sprintf("%s[%q]", path, entry.Key())); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.Tag.Get("durable") != "-" {
				if err := notUTF8(v.Field(i), path+"."+f.Name); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
