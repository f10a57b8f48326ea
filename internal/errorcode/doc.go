// Package errorcode turns errors into data and back: what an error says, and which of the errors
// that programs test for it is. Types, fields and stacks of errors do not survive.
//
//	Register      gives an error that programs test for a stored name
//	Encode        an error as [Data], a plain struct, which encodes as JSON
//	Data.Error    the error again: the same text, and errors.Is finds what it found before
//
// A name is for good: data that was written with it outlives the program. The names that this
// package registers itself are of errors of the standard library, as Go's source writes them:
// "io.EOF". A package registers its own errors as its users write them: "freerun.ErrFull".
package errorcode
