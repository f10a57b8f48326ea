package codec_test

import (
	"reflect"
	"runtime"
	"testing"

	"github.com/freerun-go/freerun/cluster/internal/codec"
)

// FuzzDecode reads any bytes as values of several types: no panic, no more memory than the limit,
// and what was read is written and read again as the same.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"", "b", "j", "jnull", `j"ada"`, "j-5", `j{"ID":7}`, `j{"Price":{"value":5},"When":"2026-01-02T03:04:05Z","Sum":12,"Address":{"::1":true}}`,
		`j{"Price":{"error":{"text":"x","is":["freerun.ErrFull"]}},"Tags":{"a":["b",null]},"Counts":{"-1":5},"Raw":"AA=="}`,
		"j[[[[[[[[", `j{"Left":{"Left":{"Value":1}}}`, "b\x05", "j\"\xff\"", `j"\ud800"`, "j[{},{},{}]",
	} {
		f.Add([]byte(seed))
	}
	types := []reflect.Type{
		reflect.TypeFor[full](), reflect.TypeFor[tree](), reflect.TypeFor[string](), reflect.TypeFor[[]byte](), reflect.TypeFor[int](), reflect.TypeFor[uint32](),
		reflect.TypeFor[appends](), reflect.TypeFor[map[string][]wide](), reflect.TypeFor[[]*bool](), reflect.TypeFor[[][1 << 12]int64](),
	}
	var codecs []*codec.Codec
	for _, t := range types {
		c, err := codec.Of(t)
		if err != nil {
			f.Fatal(err)
		}
		codecs = append(codecs, c)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		for i, c := range codecs {
			value := reflect.New(types[i])
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := c.Decode(src, value.Interface())
			runtime.ReadMemStats(&after)
			// A slice that grows is copied: twice the limit, or a little more.
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 3*512<<20 {
				t.Errorf("%v: %d bytes for %d", types[i], grown, len(src))
			}
			if err != nil {
				continue
			}
			text, err := c.Append(nil, value.Interface())
			if err != nil {
				t.Fatalf("%v: %q is read, and cannot be written: %v", types[i], src, err)
			}
			again := reflect.New(types[i])
			if err := c.Decode(text, again.Interface()); err != nil {
				t.Fatalf("%v: %q is written from %q, and cannot be read: %v", types[i], text, src, err)
			}
			if twice, err := c.Append(nil, again.Interface()); err != nil || string(twice) != string(text) {
				t.Fatalf("%v: %q, and then %q (%v)", types[i], text, twice, err)
			}
		}
	})
}
