package codec

import (
	"encoding/base64"
	"math"
	"strconv"
	"unicode/utf8"
)

// The plain types are written and read without encoding/json where that is as short as here. The
// bytes are the same JSON. What is not done here, encoding/json does.

// appendPlain appends a value of a plain type as JSON. It returns false if it does not.
func appendPlain(dst []byte, value any) ([]byte, bool) {
	switch v := value.(type) {
	case *string:
		if isSimple(*v) {
			dst = append(dst, '"')
			dst = append(dst, *v...)
			return append(dst, '"'), true
		}
	case *[]byte:
		if *v == nil {
			return append(dst, "null"...), true
		}
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, *v)
		return append(dst, '"'), true
	case *bool:
		return strconv.AppendBool(dst, *v), true
	case *int:
		return strconv.AppendInt(dst, int64(*v), 10), true
	case *int32:
		return strconv.AppendInt(dst, int64(*v), 10), true
	case *int64:
		return strconv.AppendInt(dst, *v, 10), true
	case *uint:
		return strconv.AppendUint(dst, uint64(*v), 10), true
	case *uint32:
		return strconv.AppendUint(dst, uint64(*v), 10), true
	case *uint64:
		return strconv.AppendUint(dst, *v, 10), true
	}
	return dst, false
}

// decodePlain reads a value of a plain type. It returns false, and has changed nothing, if it does
// not.
func decodePlain(text []byte, value any) bool {
	switch v := value.(type) {
	case *string:
		if s, ok := quoted(text); ok {
			*v = string(s)
			return true
		}
	case *[]byte:
		// DecodeString skips ends of lines, which a simple text has none of.
		if s, ok := quoted(text); ok {
			if b, err := base64.StdEncoding.AppendDecode([]byte{}, s); err == nil {
				*v = b
				return true
			}
		}
	case *bool:
		switch string(text) {
		case "true":
			*v = true
			return true
		case "false":
			*v = false
			return true
		}
	case *int:
		return decodeInt(text, v, math.MinInt, math.MaxInt)
	case *int32:
		return decodeInt(text, v, math.MinInt32, math.MaxInt32)
	case *int64:
		return decodeInt(text, v, math.MinInt64, math.MaxInt64)
	case *uint:
		return decodeUint(text, v, math.MaxUint)
	case *uint32:
		return decodeUint(text, v, math.MaxUint32)
	case *uint64:
		return decodeUint(text, v, math.MaxUint64)
	}
	return false
}

func decodeInt[T int | int32 | int64](text []byte, v *T, least, most int64) bool {
	digits := text
	if len(digits) > 0 && digits[0] == '-' {
		digits = digits[1:]
	}
	if !isNumber(digits) {
		return false
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || n < least || n > most {
		return false
	}
	*v = T(n)
	return true
}

func decodeUint[T uint | uint32 | uint64](text []byte, v *T, most uint64) bool {
	if !isNumber(text) {
		return false
	}
	n, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil || n > most {
		return false
	}
	*v = T(n)
	return true
}

// isNumber reports whether text is a whole number as JSON has it, without a sign.
func isNumber(text []byte) bool {
	if len(text) == 0 || len(text) > 20 || text[0] == '0' && len(text) > 1 {
		return false
	}
	for _, c := range text {
		if c < '0' || '9' < c {
			return false
		}
	}
	return true
}

// isSimple reports whether s stands for itself between the quotes of JSON.
func isSimple[T string | []byte](s T) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			return false
		}
	}
	return utf8.ValidString(string(s))
}

// quoted returns what is between the quotes of text if that stands for itself.
func quoted(text []byte) ([]byte, bool) {
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return nil, false
	}
	inner := text[1 : len(text)-1]
	return inner, isSimple(inner)
}
