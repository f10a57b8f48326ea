// Package pools is the program submit with the rivals of freerun that run tasks. Each rival is used
// as its documentation recommends.
//
//	pond   github.com/alitto/pond/v2        v2.7.1
//	ants   github.com/panjf2000/ants/v2     v2.12.1
//
// The rivals are no part of programs/submit because they are not in the standard library.
package pools
