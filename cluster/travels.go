package cluster

import (
	"fmt"
	"reflect"

	"github.com/freerun-go/freerun/cluster/internal/codec"
	"github.com/freerun-go/freerun/internal/travel"
)

// Travels has the value of a key of contexts ([freerun.Context.WithValue]) go along with messages
// to volatile units of other machines ([Volatile]), and with all that follows there: a tenant, for
// example. Call it when the program begins, in all programs under one name:
//
//	func init() { cluster.Travels[string]("tenant", tenantKey{}) }
//
// A value is encoded as an argument is. One of another type stays behind, and so does one that
// cannot be encoded, or takes more than 8 KiB. The trace and the baggage of OpenTelemetry go along
// where the program has package otelfreerun. Durable units on other machines have no values.
//
// It panics if a T cannot be encoded, if the name or the key was given before, and if the key is
// nil or cannot be compared.
func Travels[T any](name string, key any) {
	if key == nil || !reflect.TypeOf(key).Comparable() {
		panic(fmt.Sprintf("cluster: Travels(%q) with a key that is nil, or cannot be compared", name))
	}
	c, err := codec.Of(reflect.TypeFor[T]())
	if err != nil {
		panic(fmt.Sprintf("cluster: Travels(%q): %v", name, err))
	}
	travel.Register(travel.Value{
		Name: name, Key: key,
		Encode: func(v any) []byte {
			of, is := v.(T)
			if !is {
				return nil
			}
			b, err := c.Append([]byte{}, &of)
			if err != nil {
				return nil
			}
			return b
		},
		Decode: func(b []byte) any {
			var v T
			if err := c.Decode(b, &v); err != nil {
				return nil
			}
			return v
		},
	})
}

func init() { // also through units that are not durable
	Travels[string]("freerun.once", onceKey{})
	Travels[bool]("freerun.direct", directKey{})
}

// mostTravels is how many bytes a value has that goes along.
const mostTravels = 8 << 10
