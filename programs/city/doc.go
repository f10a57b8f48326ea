// Package city simulates a city: houses consume electricity from a power plant, and water from a river. Each house is a task that needs a unit of electricity and then one of
// water, several times; the plant is a task that makes electricity from water, a unit from a unit, and can store some. A house waits while there is no electricity, the plant while
// its store is full. The river is a count: nobody waits for water, as there is enough for all. One operation is one unit consumed.
//
//	variant      file            how
//	activities   activities.go   an activity for each house and for the plant; two activity.Semaphore are the store, its units and its room
//	units        units.go        a unit for each house and for the plant; the plant keeps the orders that it cannot serve yet
//	goroutines   goroutines.go   a goroutine for each house and for the plant; the store is a buffered channel
//
// The checksum is what was produced, what each house has consumed, and what is left in the river.
//
// Source: F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an Efficient Lock-Free Scheduler, JSSPP 2015, sections 5 and 6, table 1.
package city
