// Package city simulates a city: houses consume electricity from a power plant, and water from a
// river. A house is a task that several times needs a unit of electricity, then a unit of water.
// The plant is a task that makes electricity from water, unit by unit, and stores some. A house
// waits while there is no electricity, the plant while its store is full. The river is a counter:
// there is enough water, so no task waits for it. One operation is one unit consumed.
//
//	variant      file            how
//	activities   activities.go   an activity each; the store is an activity.Mailbox
//	units        units.go        a unit each; the plant keeps the orders that it cannot serve yet
//	goroutines   goroutines.go   a goroutine each; the store is a buffered channel
//
// Alike: houses, their consumption, the bound of the store, and a plant that makes one unit of
// electricity at a time. The task puts it into the store and waits there for room; the unit makes
// it for a message that it sends to itself, and sends none while there is no room.
//
// Not alike: a house that is a task takes its electricity from the store by itself, where one that
// is a unit sends an order and gets a delivery, so that two messages take the place of one wait.
// The mailbox and the channel keep empty items.
//
// The checksum is the electricity produced, what each house consumed, and the water left.
//
// Source: F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an
// Efficient Lock-Free Scheduler, JSSPP 2015, sections 5 and 6, table 1.
package city
