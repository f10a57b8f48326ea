// Package pools is the program submit with the rivals of freerun that run tasks, each used the way its documentation recommends.
//
//	pond   github.com/alitto/pond/v2        v2.7.1
//	ants   github.com/panjf2000/ants/v2     v2.12.1
//
// They are no part of programs/submit, since they are not of the standard library.
package pools
