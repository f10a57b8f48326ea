package recording

import "time"

// Trace is a recording. It is plain data: whoever has it may change it, and goroutines that share it must not.
type Trace struct {
	Start   time.Time // of the wall clock, at time 0
	End     int64     // when the recording ended
	Program string    // the name of the program
	Virtual bool      // times are those of a deterministic runtime's clock, which stands still while operations run

	Processors int      // how many there were at most
	Operations []string // the names of operations and activities, by number; that of 0 is empty
	Units      []Unit   // by number; 0 stands for no unit
	Sent       int      // messages that the recording knows of; they are numbered from 1 on

	// Events are in order of time, and those of one processor in the order in which they happened.
	Events []Event
	// Lost is how many events are missing: the recorder had no room for them. Where, says an event [Lost].
	Lost uint64
}

// Unit is a unit of the program.
type Unit struct {
	Name  string // that the program has given it; most have none
	State string // the type of its state, empty if it is not known

	// Address is where it was in the memory of the program. It tells units without a name from each other, also over several recordings of one process, and is
	// what a report of the watchdog calls them.
	Address uint64
}

// Outside is the processor of events that happened on no processor: an ordinary goroutine did it, or an operation that had left its processor.
const Outside = -1

// Event is one thing that happened. What its fields mean depends on its kind; those without meaning are 0.
type Event struct {
	Time      int64  // nanoseconds since the start of the recording
	Message   uint32 // the message that it is about; 0 if the recording does not know it
	Other     uint32 // another message
	Operation uint32 // number in Operations
	Unit      uint32 // number in Units
	N         int32
	Processor int16 // where it happened; Outside
	Kind      Kind
}

// Kind says what happened.
type Kind uint8

// The kinds of events. Begin and End come in pairs, on one processor unless the kind says otherwise, and are nested; one of the two may be
// missing at the ends of a recording, and beside an event [Lost].
const (
	// RunBegin: the processor begins to run Message, which is Operation on Unit; Other is the message that has sent it.
	RunBegin Kind = iota + 1
	// RunEnd: Message has returned. If it left its processor ([BlockBegin]), that is Outside.
	RunEnd
	// Send: Message was sent to Unit, to run Operation, by the message Other; Other is 0 for an ordinary goroutine, whose number is N then.
	Send
	// Need: if Message has not begun, it begins no earlier than the outcome of Other is there; if it has begun, its own outcome needs that of Other.
	Need
	// Ready: Message waited for futures, and can run now.
	Ready
	// Fulfilled: the future of Message has its outcome, and somebody waited for it.
	Fulfilled
	// Seen: a goroutine outside, whose number is N, waited for the outcome of Message and has it now.
	Seen
	// BranchBegin: the processor begins a branch of a fork, or a part of a loop, that it took over from the operation Operation, of message Message.
	BranchBegin
	// BranchEnd: it has ended.
	BranchEnd
	// SwitchIn: the activity Message, named Operation, has the processor.
	SwitchIn
	// SwitchOut: it has not any more: it waits, gave way, or has ended.
	SwitchOut
	// Steal: the processor took N tasks from the processor Other.
	Steal
	// SearchBegin: the processor looks for work everywhere.
	SearchBegin
	// SearchEnd: it has found some if N is 1, and none if N is 0.
	SearchEnd
	// Park: the processor has nothing to do, and sleeps.
	Park
	// Unpark: it was woken.
	Unpark
	// BlockBegin: Message, which runs, leaves its processor ([freerun.Context.Block]), which goes on with others.
	BlockBegin
	// BlockEnd: what Message left it for has returned. It has no processor; this is Outside.
	BlockEnd
	// With: Message, which has begun just before, is an operation on several units, of which Unit is one more.
	With
	// Lost: here N events are missing.
	Lost

	kinds // how many there are
)

var kindNames = [kinds]string{
	RunBegin: "run begin", RunEnd: "run end", Send: "send", Need: "need", Ready: "ready", Fulfilled: "fulfilled", Seen: "seen",
	BranchBegin: "branch begin", BranchEnd: "branch end", SwitchIn: "switch in", SwitchOut: "switch out", Steal: "steal",
	SearchBegin: "search begin", SearchEnd: "search end", Park: "park", Unpark: "unpark", BlockBegin: "block begin", BlockEnd: "block end",
	With: "with", Lost: "lost",
}

// String names the kind.
func (k Kind) String() string {
	if k == 0 || k >= kinds {
		return "unknown"
	}
	return kindNames[k]
}

// Operation returns the name of an operation by its number, empty if there is none.
func (t *Trace) Operation(n uint32) string {
	if int(n) < len(t.Operations) {
		return t.Operations[n]
	}
	return ""
}
