// Package layout says what the entries of a store are, for package cluster and for those who look
// into a store without the program's types. It knows bytes and names, and neither kinds nor
// operations.
//
//	key                    value
//	"s" KIND 0 KEY         the record of a unit: a Record, with its timers and its state
//	"t" KIND 0 KEY         when the unit is to be woken, for its timers: Version, a time
//	"o" NUMBER             what was told and has had no effect yet: a Tell
//	"f" NUMBER             what was told and has failed for good: a Tell, and the error
//	"p" NUMBER             that it was left of an earlier process, and is delivered: a byte
//	"i" KIND 0 KEY 0 … ID  the outcome of an operation with an identity: an Outcome
//	"x" TIME "i"…          that the entry behind it is to be forgotten then: nothing
//	"r" KIND               the later name of a kind that had this one: Version, the name
//
// In place of "o", "p" and "r", a partition of a store that machines share has
//
//	"p"                    which deliveries its owner has begun, and which of them alone:
//	                       Version, three varints
//	"n"                    in the first one: each name that a kind has had, and its name in the
//	                       store: Version, an object of JSON
//
// A number has 8 bytes, big-endian, so that a store has the entries in the order of the numbers; so
// has a time, in nanoseconds. Names, keys and values within a value stand each behind its length as
// a varint. States, arguments and results are values: the number of the version of the type as a
// varint, and then what package codec has made of it. A Tell to several units has the keys of their
// records, and those stand in one part, each behind its length.
package layout
