// Package codec turns states, arguments and results into bytes and back.
//
//	Of             the codec of a type; an error for a type that would lose something
//	Codec.Append   a value, behind the bytes that are there
//	Codec.Decode   the value again
//
// The first byte is the form of the others:
//
//	j   JSON, as encoding/json writes it; what the package writes itself is JSON, too
//	b   what the type itself writes: BinaryAppender, or else BinaryMarshaler, of encoding
//
// A type that has these methods, and that of encoding.BinaryUnmarshaler, has the second form. What
// was written as JSON before is still read if the type can be read from JSON. The other way round
// is an error: when a type gives up its methods, the bytes that they wrote have no reader.
//
// What JSON keeps, and what it does not:
//
//   - Integers keep all digits. NaN and infinities are refused when they are written.
//   - Strings are UTF-8; others are refused when they are written, as they would be changed. A
//     []byte takes all bytes. Nil and empty slices and maps stay apart.
//   - A pointer to something nil is nil afterwards. Two pointers to one value lead to two values.
//     Values that lead back to themselves are refused when they are written.
//   - Names of fields that the type does not have are left alone: a field may be removed. One that
//     is added is zero. An array that has become shorter loses its last elements.
package codec
