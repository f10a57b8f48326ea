package codec

import (
	"reflect"
	"testing"
	"time"
)

// TestLook looks at values of both forms, and at what is none.
func TestLook(t *testing.T) {
	type point struct{ X int }
	p, at := point{3}, time.Unix(1, 0).UTC()
	for _, c := range []struct {
		value  any
		isJSON bool
	}{{&p, true}, {&at, false}} {
		coder, err := Of(reflect.TypeOf(c.value).Elem())
		if err != nil {
			t.Fatal(err)
		}
		b, err := coder.Append(nil, c.value)
		if err != nil {
			t.Fatal(err)
		}
		text, isJSON, err := Look(b)
		if err != nil || isJSON != c.isJSON || string(text) != string(b[1:]) {
			t.Errorf("%T: %q, %t, %v", c.value, text, isJSON, err)
		}
	}
	for _, bad := range []string{"", "x1", "j", "j{", "j1 2"} {
		if text, _, err := Look([]byte(bad)); err == nil {
			t.Errorf("%q is taken for %q", bad, text)
		}
	}
}
