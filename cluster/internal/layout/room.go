package layout

// Room is how many bytes may be taken by what machines share, in a store that takes so many in one
// piece: the record of a unit is one piece, and has shares for what is in it.
type Room struct {
	State, Argument int
	Told            int // an argument of a message from a unit to a unit
	Added           int // what one command adds to the record
	Recorded        int // what commands before have added
	Outcomes        int // what the outcomes take of that
	Text            int // of an error
}

// LeastLargest is how large a piece of a store may be that machines share, at least.
const LeastLargest = 32 << 10

// RoomOf returns the room in a store whose pieces have so many bytes at most.
func RoomOf(largest int) Room {
	return Room{
		State: largest / 16 * 7, Argument: largest / 2, Told: largest / 8, Added: largest / 4,
		Recorded: largest / 4, Outcomes: largest / 8, Text: largest / 32,
	}
}
