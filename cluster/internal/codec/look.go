package codec

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Look returns what Append has written behind the form, as a part of src, and whether it is JSON.
// It is for programs that show values and do not have their types. Its error says that src is
// nothing that Append writes.
func Look(src []byte) (text []byte, isJSON bool, err error) {
	switch {
	case len(src) == 0:
		return nil, false, errors.New("nothing is there, not even the form")
	case src[0] == FormBinary:
		return src[1:], false, nil
	case src[0] != formJSON:
		return nil, false, fmt.Errorf("the form is %q, which this version does not know", src[0])
	case !json.Valid(src[1:]):
		return nil, false, errors.New("the form says JSON, and the text is none")
	}
	return src[1:], true, nil
}
