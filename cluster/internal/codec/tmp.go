package codec

import (
	"encoding/json"
	"reflect"
)

type Codec struct{}

func Of(t reflect.Type) (*Codec, error) { return &Codec{}, nil }
func (*Codec) Append(dst []byte, v any) ([]byte, error) {
	b, err := json.Marshal(v)
	return append(dst, b...), err
}
func (*Codec) Decode(src []byte, v any) error { return json.Unmarshal(src, v) }
