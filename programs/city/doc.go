// Package city simulates a city: houses consume electricity from a power plant, and water from a
// river. A house is a task that several times needs a unit of electricity, then a unit of water.
// The plant is a task that makes electricity from water, unit by unit, and stores some. A house
// waits while there is no electricity, the plant while its store is full. The river is a counter:
// there is enough water, so no task waits for it. One operation is one unit consumed.
//
//	variant      file            how
//	activities   activities.go   an activity each; two semaphores are the store
//	units        units.go        a unit each; the plant keeps the orders that it cannot serve yet
//	goroutines   goroutines.go   a goroutine each; the store is a buffered channel
//
// The checksum is the electricity produced, what each house consumed, and the water left.
//
// Source: F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an
// Efficient Lock-Free Scheduler, JSSPP 2015, sections 5 and 6, table 1.
package city
