package cluster

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/freerun-go/freerun/cluster/internal/codec"
	"github.com/freerun-go/freerun/internal/travel"
)

// Travels has the value of a key of contexts ([freerun.Context.WithValue]) go along with messages
// to units of other machines, and with all that follows there: a tenant, for example. It is stored
// with what a durable unit tells, and with what waits in the logs of durable units. Call it when
// the program begins, in all programs under one name:
//
//	func init() { cluster.Travels[string]("tenant", tenantKey{}) }
//
// A value is encoded as an argument is. One of another type stays behind, and so does one that
// cannot be encoded, or for which there is no room: the values of a message have 8 KiB, and those
// that are stored 2 KiB, in the order of the calls of Travels. All stay behind where an operation
// tells so many units that its record has no room for them. Timers and what they send have none.
// The trace and the baggage of OpenTelemetry go along where the program has package otelfreerun,
// and of a message of a scope the names of its senders ([freerun.Future.Senders]), with the name of
// their machine, up to 256 bytes.
//
// It panics if a T cannot be encoded, if the name or the key was given before, if the key is nil or
// cannot be compared, and for names that begin with "freerun.", which are the package's own.
func Travels[T any](name string, key any) {
	if key == nil || !reflect.TypeOf(key).Comparable() {
		panic(fmt.Sprintf("cluster: Travels(%q) with a key that is nil, or cannot be compared", name))
	}
	if strings.HasPrefix(name, "freerun.") {
		panic(fmt.Sprintf("cluster: Travels(%q); names that begin with freerun. are the package's own", name))
	}
	registers[T](travel.Value{Name: name, Key: key})
}

// registers registers a value of type T with a name and a key.
func registers[T any](v travel.Value) {
	c, err := codec.Of(reflect.TypeFor[T]())
	if err != nil {
		panic(fmt.Sprintf("cluster: Travels(%q): %v", v.Name, err))
	}
	v.Encode = func(v any) []byte {
		of, is := v.(T)
		if !is {
			return nil
		}
		b, err := c.Append([]byte{}, &of)
		if err != nil {
			return nil
		}
		return b
	}
	v.Decode = func(b []byte) any {
		var v T
		if err := c.Decode(b, &v); err != nil {
			return nil
		}
		return v
	}
	travel.Register(v)
}

func init() { // durable units have both in another form
	registers[string](travel.Value{Name: "freerun.once", Key: onceKey{}, Volatile: true})
	registers[bool](travel.Value{Name: "freerun.direct", Key: directKey{}, Volatile: true})
}
