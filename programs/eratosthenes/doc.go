// Package eratosthenes finds prime numbers by a chain of sieves. The numbers from 2 on go to the
// first sieve. A sieve is a task. It keeps the first number that it gets, which is a prime, drops
// the multiples of it, and passes the others to the next sieve. There are as many sieves as primes;
// they are created when they are needed, and mostly wait. One operation is one number that one
// sieve gets.
//
//	variant      file            how
//	activities   activities.go   an activity for each sieve, activity.Mailbox between them
//	units        units.go        a unit for each sieve; numbers are messages, without bound
//	goroutines   goroutines.go   a goroutine for each sieve, buffered channels between them
//
// The checksum is the number of primes, their sum, and how many numbers the sieves got.
//
// Source: F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an
// Efficient Lock-Free Scheduler, JSSPP 2015, sections 5 and 6, table 1.
package eratosthenes
