package codec

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
)

type ofAUser struct{ N int }

func (ofAUser) MarshalJSON() ([]byte, error) { return []byte("0"), nil }
func (*ofAUser) UnmarshalJSON([]byte) error  { return nil }

type bytesOfAUser struct{}

func (bytesOfAUser) AppendBinary(b []byte) ([]byte, error) { return b, nil }
func (*bytesOfAUser) UnmarshalBinary([]byte) error         { return nil }

type textOfAUser struct{ N int }

func (textOfAUser) MarshalText() ([]byte, error) { return nil, nil }
func (*textOfAUser) UnmarshalText([]byte) error  { return nil }

// TestApart holds which types pay for a goroutine of their own: those with methods that are not of
// the standard library.
func TestApart(t *testing.T) {
	type plain struct {
		N    map[string][]int
		At   time.Time
		Raw  json.RawMessage
		Each freerun.Future[int]
	}
	type within struct{ Each []map[string]*ofAUser }
	for of, calls := range map[reflect.Type]bool{
		reflect.TypeFor[plain](): false, reflect.TypeFor[time.Time](): false, reflect.TypeFor[int](): false,
		reflect.TypeFor[ofAUser](): true, reflect.TypeFor[within](): true, reflect.TypeFor[bytesOfAUser](): true,
		reflect.TypeFor[map[textOfAUser]int](): true, reflect.TypeFor[freerun.Future[ofAUser]](): true,
	} {
		if c, err := Of(of); err != nil || c.calls != calls {
			t.Errorf("%v: calls %v, want %v; %v", of, c != nil && c.calls, calls, err)
		}
	}
}
