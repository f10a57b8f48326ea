// Package layout says what the entries of a store are, for package cluster and for those who look
// into a store without the program's types. It knows bytes and names, and neither kinds nor
// operations.
//
//	key                value
//	"s" KIND 0 KEY     the record of a unit: Version, and the state as package codec has it
//	"o" NUMBER         what was told and has had no effect yet: a Tell
//	"f" NUMBER         what was told and has failed for good: a Tell, and the text of the error
//	"p" NUMBER         that it was left of an earlier process, and is delivered: one byte
//
// A number has 8 bytes, big-endian, so that a store has the entries in the order of the numbers. A
// Tell is Version, and then kind, key, operation and argument, each behind its length as a varint.
package layout
