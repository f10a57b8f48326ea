package codec_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/quick"
	"time"
	"unsafe"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/codec"
)

func of[T any](t testing.TB) *codec.Codec {
	t.Helper()
	c, err := codec.Of(reflect.TypeFor[T]())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// trip encodes v behind other bytes, and decodes it into what was another value.
func trip[T any](t testing.TB, v, before T) (T, string) {
	t.Helper()
	c := of[T](t)
	text, err := c.Append([]byte("before"), &v)
	if err != nil {
		t.Fatal(err)
	}
	text, found := bytes.CutPrefix(text, []byte("before"))
	if !found {
		t.Fatalf("%T: what was there is gone", v)
	}
	kept := string(text)
	if err := c.Decode(text, &before); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	for i := range text {
		text[i] = 'x' // the value keeps none of it
	}
	return before, kept
}

func survives[T any](v, before T) func(*testing.T) {
	return func(t *testing.T) {
		if got, text := trip(t, v, before); !reflect.DeepEqual(got, v) {
			t.Errorf("%#v became %#v through %s", v, got, text)
		}
	}
}

type (
	tree struct {
		Left, Right *tree
		Value       int
	}
	base struct{ ID uint64 }
	full struct {
		base
		Name    string
		Tags    map[string][]string
		Counts  map[int8]int64
		Raw     []byte
		Array   [3]float64
		Cents   *int64
		When    time.Time
		Sum     big.Int
		Address map[netip.Addr]bool
		Price   freerun.Future[int]
		_       int
		cache   []int    `durable:"-"`
		Renamed bool     `json:"r,omitempty"`
		Text    string   `json:",omitempty"`
		Skipped chan int `durable:"-" json:"-"`
	}
)

func TestRoundTrip(t *testing.T) {
	n := int64(math.MinInt64)
	for i, test := range []func(*testing.T){
		survives("", "x"), survives("ada", "x"), survives("a\"\\\n\x00<>&\u2028\uFFFDä€😀", "x"),
		survives([]byte(nil), []byte("x")), survives([]byte{}, []byte("x")), survives([]byte{0, 255, '"'}, []byte("x")),
		survives(true, false), survives(false, true),
		survives(math.MinInt, 1), survives(math.MaxInt, 1), survives(int64(math.MinInt64), 1), survives(int32(math.MinInt32), 1),
		survives(uint64(math.MaxUint64), 1), survives(uint32(math.MaxUint32), 1), survives(uint(math.MaxUint), 1),
		survives(int8(-128), 1), survives(1e300, 1), survives(math.Copysign(0, -1), 1), survives(float32(math.MaxFloat32), 1),
		survives(time.Duration(math.MaxInt64), 1), survives(struct{}{}, struct{}{}),
		survives(map[string]int{"a": 1}, map[string]int{"b": 2}), survives(map[string]int{}, nil), survives(map[string]int(nil), map[string]int{"b": 2}),
		survives([]int{}, nil), survives([]int(nil), []int{1}), survives([]tree{{Value: 1}}, []tree{{Value: 2, Left: &tree{}}}),
		survives(&tree{Left: &tree{Value: 1}, Value: 2}, &tree{Right: &tree{}}), survives((*tree)(nil), &tree{}),
		survives(json.RawMessage(`{"a":[1,2.50]}`), nil),
		survives(time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), time.Now()),
		survives(freerun.Resolved(freerun.Resolved("x")), freerun.Resolved(freerun.Resolved("y"))),
		survives(wide{1, [12]uint64{1: math.MaxUint64}, 'x'}, wide{}),
		survives(appends{5}, appends{6}), survives(marshals{5}, marshals{6}),
		survives(full{
			base: base{1}, Name: "x", Tags: map[string][]string{"a": {"b"}, "n": nil, "e": {}}, Counts: map[int8]int64{-1: n}, Raw: []byte{1},
			Array: [3]float64{1: 0.1}, Cents: &n, When: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Sum: *big.NewInt(77),
			Address: map[netip.Addr]bool{netip.MustParseAddr("::1"): true}, Price: freerun.Resolved(8), Renamed: true,
		}, full{Text: "gone", cache: []int{1}, Tags: map[string][]string{"merged": nil}, Skipped: make(chan int)}),
	} {
		t.Run(fmt.Sprint(i), test)
	}
}

// TestForms holds that what is stored can be looked at, and stays what it is.
func TestForms(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{form(t, "ada"), `j"ada"`},
		{form(t, -5), `j-5`},
		{form(t, true), `jtrue`},
		{form(t, []byte("ada")), `j"YWRh"`},
		{form(t, []byte(nil)), `jnull`},
		{form(t, base{7}), `j{"ID":7}`},
		{form(t, appends{5}), "b\x05"},
		{form(t, marshals{5}), "b\x05"},
		{form(t, freerun.Resolved(5)), `j{"value":5}`},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func form[T any](t *testing.T, v T) string { _, text := trip(t, v, v); return text }

// TestQuick holds that the plain types are as in encoding/json.
func TestQuick(t *testing.T) {
	for _, f := range []any{
		like[string](t), like[[]byte](t), like[bool](t), like[int](t), like[int32](t), like[int64](t), like[uint](t), like[uint32](t), like[uint64](t),
		like[map[string][]int16](t), like[[]struct {
			A *int
			B map[uint8]float64
			C [2]string
		}](t),
	} {
		if err := quick.Check(f, &quick.Config{MaxCount: 300}); err != nil {
			t.Error(err)
		}
	}
}

func like[T any](t *testing.T) func(v, before T) bool {
	return func(v, before T) bool {
		got, text := trip(t, v, before)
		var byJSON T
		return reflect.DeepEqual(got, v) && json.Unmarshal([]byte(text[1:]), &byJSON) == nil && reflect.DeepEqual(byJSON, v)
	}
}

// appends has both directions, the writing one for values.
type appends struct{ n byte }

func (a appends) AppendBinary(b []byte) ([]byte, error) { return append(b, a.n), nil }
func (a *appends) UnmarshalBinary(b []byte) error {
	if len(b) != 1 {
		return errors.New("one byte")
	}
	a.n = b[0]
	return nil
}

type marshals struct{ n byte }

func (a *marshals) MarshalBinary() ([]byte, error) { return []byte{a.n}, nil }
func (a *marshals) UnmarshalBinary(b []byte) error { a.n = b[0]; return nil }

// half can be written only.
type half struct{ N int }

func (half) MarshalJSON() ([]byte, error) { return nil, nil }

type halfText struct{ N int }

func (*halfText) UnmarshalText([]byte) error { return nil }

// pointed writes itself by a method of its pointer.
type pointed struct{ n int }

func (p *pointed) MarshalText() ([]byte, error) { return []byte{byte(p.n)}, nil }
func (p *pointed) UnmarshalText(b []byte) error { p.n = int(b[0]); return nil }

type keyText string

func (keyText) MarshalText() ([]byte, error) { return nil, nil }
func (*keyText) UnmarshalText([]byte) error  { return nil }

type (
	stamped struct {
		time.Time
		Note string
	}
	stampedOwn struct {
		time.Time
		Note string
	}
	alone         struct{ time.Time }
	renamedFuture freerun.Future[int]
	two           struct {
		time.Time
		big.Int
	}
	embedsItself struct{ *embedsItself }
	EmbedsOther  struct{ *embedsThird }
	embedsThird  struct{ *EmbedsOther }
)

func (s stampedOwn) MarshalJSON() ([]byte, error) { return json.Marshal([]any{s.Time, s.Note}) }
func (s *stampedOwn) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&s.Time, &s.Note})
}
func (s stampedOwn) MarshalText() ([]byte, error)        { panic("not called") }
func (s *stampedOwn) UnmarshalText([]byte) error         { panic("not called") }
func (s stampedOwn) AppendBinary([]byte) ([]byte, error) { return []byte("x" + s.Note), nil }
func (s stampedOwn) MarshalBinary() ([]byte, error)      { panic("not called") }
func (s *stampedOwn) UnmarshalBinary(b []byte) error     { s.Note = string(b[1:]); return nil }

func TestRefusedTypes(t *testing.T) {
	for _, c := range []struct {
		t    reflect.Type
		says string
	}{
		{nil, "no type"},
		{reflect.TypeFor[chan int](), "chan"},
		{reflect.TypeFor[struct{ A []func() }](), ".A[] is a func()"},
		{reflect.TypeFor[complex64](), "complex64"},
		{reflect.TypeFor[unsafe.Pointer](), "unsafe.Pointer"},
		{reflect.TypeFor[any](), "interface"},
		{reflect.TypeFor[struct{ E error }](), ".E is an interface, error"},
		{reflect.TypeFor[map[string][]any](), "json.RawMessage"},
		{reflect.TypeFor[**int](), "**int"},
		{reflect.TypeFor[struct{ a int }](), ".a is not exported, so it would be lost; export it, give its type the methods of encoding.BinaryAppender"},
		{reflect.TypeFor[struct {
			A int
			b string
		}](), ".b is not exported"},
		{reflect.TypeFor[[]struct {
			M map[int]struct{ x int }
		}](), "[].M[].x is not exported"},
		{reflect.TypeFor[struct {
			A int `json:"-"`
		}](), "add the tag durable"},
		{reflect.TypeFor[struct {
			A int `durable:"-"`
		}](), "add the tag json"},
		{reflect.TypeFor[struct {
			A int `json:"B"`
			B int
		}](), "same name"},
		{reflect.TypeFor[struct {
			base
			ID int
		}](), "same name"},
		{reflect.TypeFor[struct{ *base }](), "embed the struct itself"},
		{reflect.TypeFor[struct {
			base `json:"b"`
		}](), "embedded and not exported"},
		{reflect.TypeFor[embedsItself](), "embed"},
		{reflect.TypeFor[EmbedsOther](), "embed"},
		{reflect.TypeFor[map[float64]int](), "keys"},
		{reflect.TypeFor[map[any]int](), "keys"},
		{reflect.TypeFor[map[[2]int]int](), "keys"},
		{reflect.TypeFor[map[keyText]int](), "keys"},
		{reflect.TypeFor[map[pointed]int](), "keys"},
		{reflect.TypeFor[map[int]pointed](), "in a map"},
		{reflect.TypeFor[map[int]struct{ P pointed }](), "in a map"},
		{reflect.TypeFor[half](), "no UnmarshalJSON"},
		{reflect.TypeFor[[]halfText](), "only one of"},
		{reflect.TypeFor[stamped](), "embedded field Time"},
		{reflect.TypeFor[struct{ S stamped }](), "embedded field Time"},
		{reflect.TypeFor[two](), "embedded field Time"},
		{reflect.TypeFor[struct{ T struct{ time.Time } }](), "no name"},
		{reflect.TypeFor[freerun.Future[chan int]](), "chan"},
		{reflect.TypeFor[[]freerun.Future[struct{ a int }]](), "result.a is not exported"},
		{reflect.TypeFor[renamedFuture](), "not exported"},
		{reflect.TypeFor[freerun.Unit[int]](), "not exported"},
	} {
		if _, err := codec.Of(c.t); err == nil || !strings.Contains(err.Error(), c.says) || c.t != nil && !strings.Contains(err.Error(), c.t.String()) {
			t.Errorf("%v: %v, want %q", c.t, err, c.says)
		}
	}
}

// TestAllowedTypes has those that are near the refused ones.
func TestAllowedTypes(t *testing.T) {
	survives(map[int]*pointed{1: {5}}, nil)(t)
	survives(struct{ P []pointed }{[]pointed{{6}}}, struct{ P []pointed }{})(t)
	survives(stampedOwn{Note: "x"}, stampedOwn{})(t)
	survives([]stampedOwn{{Note: "x"}}, nil)(t)
	survives(struct{ T alone }{}, struct{ T alone }{})(t)
}

// ring leads back to itself.
type ring struct{ Next *ring }

type future struct{ Next freerun.Future[*future] }

// behaves does what it is told when it is written or read.
type behaves struct{ what func() }

func (b behaves) MarshalJSON() ([]byte, error) { b.what(); return []byte("0"), nil }
func (b *behaves) UnmarshalJSON([]byte) error  { reading(); return nil }

// reading is the behaviour of a value of behaves that is read.
var reading = func() {}

type own struct{ what func() }

func (b own) AppendBinary(dst []byte) ([]byte, error) {
	b.what()
	return dst, errors.New("own error")
}
func (b *own) UnmarshalBinary([]byte) error { reading(); return errors.New("own error") }

func TestRefusedValues(t *testing.T) {
	r := &ring{}
	r.Next = r
	f := &future{}
	f.Next = freerun.Resolved(f)
	var deep *ring
	for range 1001 {
		deep = &ring{deep}
	}
	refuses(t, "a\xff", "UTF-8")
	refuses(t, map[string][]struct{ A string }{"k": {{"ok \uFFFD"}, {"a\xff"}}}, `["k"][1].A is not UTF-8`)
	refuses(t, map[string]int{"\xff": 1}, "UTF-8")
	refuses(t, struct{ F freerun.Future[string] }{freerun.Resolved("\xff")}, "result is not UTF-8")
	refuses(t, math.NaN(), "NaN")
	refuses(t, r, "cycle")
	refuses(t, f, "leads back to itself")
	refuses(t, deep, "1001 deep")
	refuses(t, strings.Repeat("x", 16<<20), "may take")
	refuses(t, []string{strings.Repeat("x", 16<<20)}, "may take")
	refuses(t, behaves{func() { panic("boom") }}, "codec_test.behaves, or of a type in it, panicked while a value was written: boom")
	refuses(t, []behaves{{func() { panic(freerun.ErrFull) }}}, freerun.ErrFull.Error())
	refuses(t, own{func() { panic("boom") }}, "boom")
	refuses(t, own{func() {}}, "own error")
}

// refuses checks that v is not stored.
func refuses[T any](t *testing.T, v T, says string) {
	t.Helper()
	c := of[T](t)
	before := []byte("before")
	text, err := c.Append(before, &v)
	if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), reflect.TypeFor[T]().String()) {
		t.Errorf("%T: %.300v, want %q", v, err, says)
	}
	if string(text) != "before" {
		t.Errorf("%T: an error, and %.300q", v, text)
	}
}

func TestRefusedBytes(t *testing.T) {
	cannot(t, base{1}, "", "nothing is there")
	cannot(t, base{1}, "x{}", `form is 'x'`)
	cannot(t, base{1}, "j", "unexpected end")
	cannot(t, base{1}, `j{"ID":1}{}`, "after top-level value")
	cannot(t, base{1}, `j{"ID":1`, "unexpected end")
	cannot(t, base{1}, `j{"ID":-1}`, "ID")
	cannot(t, base{1}, `jnull`, "null")
	cannot(t, base{1}, "b\x01", "UnmarshalBinary")
	cannot(t, 5, "jnull", "null")
	for _, text := range []string{"j", "j5 5", "j05", "j+5", "j5.5", "j9223372036854775808", "j--5", "j-", `j"5"`, "j5x", "j1_0", "j0x1"} {
		cannot(t, int64(5), text, "cannot be read as a value of int64")
	}
	cannot(t, int32(5), "j2147483648", "int32")
	cannot(t, uint32(5), "j4294967296", "uint32")
	cannot(t, uint64(5), "j-1", "uint64")
	for _, text := range []string{"j", `j"`, `j"x`, `jx"`, `j"x""`, "j\"\n\"", `j"\"`, `j"\x"`, "j5"} {
		cannot(t, "ada", text, "string")
	}
	cannot(t, []byte("ada"), `j"YWR"`, "uint8")
	cannot(t, true, "jtruex", "bool")
	cannot(t, ring{}, "j"+strings.Repeat(`{"Next":`, 1001)+"null"+strings.Repeat("}", 1001), "1001 deep")
	cannot(t, ring{}, "j"+strings.Repeat(`[`, 5_000_000), "deep")
	cannot(t, "x", "j\""+strings.Repeat("x", 16<<20)+"\"", "may take")
	cannot(t, [][1 << 20]byte{}, "j["+strings.Repeat("[],", 600)+"[]]", "would take")
	cannot(t, []struct{ A [1 << 17]byte }{}, "j["+strings.Repeat("{},", 6000)+"{}]", "would take")
	cannot(t, appends{1}, "b\x01\x02", "one byte")
	cannot(t, appends{1}, `j{}`, "cannot be read from JSON any more")
	reading = func() { panic("boom") }
	cannot(t, behaves{}, "j0", "panicked while a value was read: boom")
	cannot(t, []behaves{}, "j[0]", "panicked while a value was read: boom")
	cannot(t, own{}, "b", "panicked while a value was read: boom")
	reading = func() {}
}

// cannot checks that text is no value, and that what was there before is gone.
func cannot[T any](t *testing.T, before T, text, says string) {
	t.Helper()
	err := of[T](t).Decode([]byte(text), &before)
	if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), reflect.TypeFor[T]().String()) {
		t.Errorf("%T from %.60q: %.300v, want %q", before, text, err, says)
	}
	if !reflect.ValueOf(&before).Elem().IsZero() {
		t.Errorf("%T from %.60q: there is %.60v after an error", before, text, before)
	}
}

// TestWrongPointer holds that a mix-up of codecs is an error, and no panic.
func TestWrongPointer(t *testing.T) {
	c := of[int](t)
	for _, value := range []any{nil, 5, new(string), (*int)(nil), new(any)} {
		if _, err := c.Append(nil, value); err == nil {
			t.Errorf("a %T is written", value)
		}
		if err := c.Decode([]byte("j5"), value); err == nil {
			t.Errorf("a %T is read", value)
		}
	}
	if c.Type() != reflect.TypeFor[int]() {
		t.Error(c.Type())
	}
}

// later is a later form of base.
type later struct{ N uint64 }

func (l later) MarshalBinary() ([]byte, error)  { return []byte{byte(l.N)}, nil }
func (l *later) UnmarshalBinary(b []byte) error { l.N = uint64(b[0]); return nil }

// TestMigration holds that JSON is read by a type that has a form of its own now, and that fields
// may come and go.
func TestMigration(t *testing.T) {
	l := later{5}
	if err := of[later](t).Decode([]byte(`j{"N":7,"Gone":[1]}`), &l); err != nil || l.N != 7 {
		t.Error(l, err)
	}
	f := full{Name: "before"}
	if err := of[full](t).Decode([]byte(`j{"ID":7,"Gone":{"a":1}}`), &f); err != nil || f.ID != 7 || f.Name != "" {
		t.Error(f, err)
	}
}

// TestGoexit holds that a method that calls runtime.Goexit is an error, and ends nothing else.
func TestGoexit(t *testing.T) {
	reading = runtime.Goexit
	defer func() { reading = func() {} }()
	states := []behaves{{runtime.Goexit}}
	c := of[[]behaves](t)
	const want = "called runtime.Goexit while a value was "
	if b, err := c.Append([]byte("before"), &states); err == nil || !strings.Contains(err.Error(), want+"written") || string(b) != "before" {
		t.Errorf("Append: %q, %v", b, err)
	}
	if err := c.Decode([]byte("j[0]"), &states); err == nil || !strings.Contains(err.Error(), want+"read") || states != nil {
		t.Errorf("Decode: %v, %v", states, err)
	}
}
