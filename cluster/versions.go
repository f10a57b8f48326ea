package cluster

import (
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/codec"
	"github.com/freerun-go/freerun/cluster/internal/layout"
)

// What is stored outlives the program that has stored it. So each state and each argument says
// which version of its type it is of; one of an earlier version is migrated when it is read, and
// written anew when something changes it.

// StoredOption says how earlier versions of a program have stored the states of a kind ([Durable]),
// or the arguments of an operation ([Stored]).
type StoredOption struct{ set func(h *heritage) }

// heritage is what a declaration says of earlier versions of a program.
type heritage struct {
	was     []string
	steps   []migration
	onceFor time.Duration // 0 if nothing is said
	tagged  bool
}

// migration makes a value of one version one of the next.
type migration struct {
	from, to reflect.Type
	run      func(old any) (value any, err error) // of pointers
}

// Was says that the kind, or the operation, had another name, as the declaration gave it. What was
// stored under that name belongs to this declaration. [Join] moves the units of a kind that has a
// new name, which takes some microseconds for each; the option can go once no store has the old
// name. In a store that machines share nothing moves, as older programs go on meanwhile: it knows
// the names of a kind, and that the new one is one of them once a program has joined.
func Was(name string) StoredOption {
	if name == "" {
		panic("cluster: Was with an empty name")
	}
	return StoredOption{func(h *heritage) { h.was = append(h.was, name) }}
}

// Migrate has values of the type Old become values of the type New when they are read. Types whose
// values are stored as JSON need that only when the meaning of a field changes: one that is added
// is zero in what was stored before, and one that is removed is left out. With several Migrate
// options the first is that of the oldest version, each begins with the type where the one before
// ends, and the last one ends with the type that the declaration has now. Types of earlier versions
// stay in the program as long as a store may have their values:
//
//	cluster.Durable(
//		cluster.Migrate(func(a account1) (account2, error) { … }),
//		cluster.Migrate(func(a account2) (account, error) { … }))
//
// The number of the options is the version. So they are added, and none is taken away or put
// between others. migrate depends on nothing but its argument: it may run several times for one
// value. If it fails, or panics, so does what needs the value: the activation of the unit, or the
// delivery, which is recorded as failed ([Node.Failures]). A value of a later version than the
// program has is [ErrNewer].
func Migrate[Old, New any](migrate func(old Old) (New, error)) StoredOption {
	if migrate == nil {
		panic("cluster: Migrate with a nil function")
	}
	s := migration{from: reflect.TypeFor[Old](), to: reflect.TypeFor[New](), run: func(old any) (any, error) {
		value, err := migrate(*old.(*Old))
		return &value, err
	}}
	return StoredOption{func(h *heritage) { h.steps = append(h.steps, s) }}
}

// Stored says how earlier versions of a program have stored an operation that durable units are
// told. Call it where the operation is declared, before [Join]:
//
//	var deposit = freerun.Op("deposit", …)
//	var _ = cluster.Stored(deposit, cluster.Was("pay_in"))
//
// It returns the operation, and panics if it is called for that twice, or with a nil operation.
func Stored[S, A, R any](op *freerun.Operation[S, A, R], options ...StoredOption) *freerun.Operation[S, A, R] {
	if op == nil {
		panic("cluster: Stored with a nil operation")
	}
	h := inherit("Stored", options)
	if h.onceFor != 0 || h.tagged {
		panic("cluster: Stored with OnceFor or Tagged, which is for the units of a kind: an option of Durable")
	}
	if _, twice := heritages.LoadOrStore(freerun.NameOf(op), h); twice {
		panic("cluster: Stored twice for operation " + freerun.NameOf(op))
	}
	return op
}

var heritages sync.Map // string → *heritage: of operations by their full names

func inherit(of string, options []StoredOption) *heritage {
	h := &heritage{}
	for i, o := range options {
		if o.set == nil {
			panic(fmt.Sprintf("cluster: %s with a zero StoredOption, the one with index %d", of, i))
		}
		o.set(h)
	}
	return h
}

// shape is how the values of a type are stored. It does not change.
type shape struct {
	codec *codec.Codec // of the type now
	steps []migration
	olds  []*codec.Codec // of the type before each migration
}

// shapeOf returns the shape of t, with what h says, which may be nil.
func shapeOf(t reflect.Type, h *heritage) (*shape, error) {
	c, err := codec.Of(t)
	if err != nil {
		return nil, err
	}
	s := &shape{codec: c}
	if h == nil {
		return s, nil
	}
	s.steps = h.steps
	for i, step := range s.steps {
		old, err := codec.Of(step.from)
		if err != nil {
			return nil, fmt.Errorf("Migrate from %v: %w", step.from, err)
		}
		s.olds = append(s.olds, old)
		next := t
		if i+1 < len(s.steps) {
			next = s.steps[i+1].from
		}
		if step.to != next {
			return nil, fmt.Errorf("Migrate from %v makes %v, and %v comes next", step.from, step.to, next)
		}
	}
	return s, nil
}

// append appends the value to which value points.
func (s *shape) append(dst []byte, value any) ([]byte, error) {
	longer, err := s.codec.Append(layout.AppendVersion(dst, len(s.steps)), value)
	if err != nil {
		return dst, err
	}
	return longer, nil
}

// decode reads a value, of any version, into what value points to.
func (s *shape) decode(src []byte, value any) error {
	version, encoded, err := layout.CutVersion(src)
	switch {
	case err != nil:
		return err
	case version > len(s.steps):
		return fmt.Errorf("%w: it is of version %d, and this program has %d", ErrNewer, version, len(s.steps))
	case version == len(s.steps):
		return s.codec.Decode(encoded, value)
	}
	at := reflect.New(s.steps[version].from).Interface()
	if err := s.olds[version].Decode(encoded, at); err != nil {
		return err
	}
	for i, step := range s.steps[version:] {
		if at, err = step.safely(at); err != nil {
			return &migrationError{step, version + i, dataOf(err).Text, err}
		}
	}
	reflect.ValueOf(value).Elem().Set(reflect.ValueOf(at).Elem())
	return nil
}

// migrationError says that a step of the user's has failed.
type migrationError struct {
	step    migration
	version int
	text    string // of why
	why     error
}

func (e *migrationError) Error() string {
	return fmt.Sprintf("the migration from %v to %v, of version %d: %s", e.step.from, e.step.to, e.version, e.text)
}

func (e *migrationError) Unwrap() error { return e.why }

// safely runs the step; a panic, and runtime.Goexit, is an error.
func (s migration) safely(old any) (value any, err error) {
	err = codec.Apart(func() (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("it panicked: %v\n%s", v, debug.Stack())
			}
		}()
		value, err = s.run(old)
		return err
	})
	return value, err
}

// names returns all names under which something may be stored, the one that is given now first.
func (h *heritage) names(given string) []string {
	if h == nil {
		return []string{given}
	}
	return slices.Concat([]string{given}, h.was)
}
