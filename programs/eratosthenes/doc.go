// Package eratosthenes finds prime numbers by a chain of sieves. The numbers from 2 on are given to the first sieve; each sieve is a task that keeps the first number it is
// given, which is a prime, drops the multiples of that, and gives what remains to the next sieve. There are as many sieves as primes: they are created as they are needed, and
// are mostly waiting. One operation is one number given to one sieve.
//
//	variant      file            how
//	activities   activities.go   an activity for each sieve, activity.Mailbox between them
//	units        units.go        a unit for each sieve, numbers are messages; they wait in mailboxes without bound
//	goroutines   goroutines.go   a goroutine for each sieve, buffered channels between them
//
// The checksum is how many primes there are, their sum, and how many numbers the sieves were given.
//
// Source: F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an Efficient Lock-Free Scheduler, JSSPP 2015, sections 5 and 6, table 1.
package eratosthenes
