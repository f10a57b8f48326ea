package recording

import "time"

// Trace is a recording. It is plain data: its owner may change it, goroutines that share it only
// read it.
type Trace struct {
	Start   time.Time // wall clock at time 0
	End     int64     // nanoseconds from Start to the end of the recording
	Program string    // the name of the program
	// Virtual says that the times are those of a deterministic runtime, whose clock stands still
	// while operations run.
	Virtual bool

	Processors int // the greatest number at any time
	// Operations has the names of operations and activities, by number; that of 0 is empty.
	Operations []string
	Units      []Unit // by number; 0 means no unit
	Sent       int    // number of messages in the recording; the first is number 1

	// Events are in order of time; those of one processor are in the order in which they happened.
	Events []Event
	// Lost is the number of missing events, for which the recorder had no room. An event [KindLost]
	// says where.
	Lost uint64
}

// Unit is a unit of the program.
type Unit struct {
	Name  string // given by the program; most units have none
	State string // type of the state; empty if it is not known

	// Address is the address of the unit in the program's memory. It tells units without a name
	// apart, also across recordings of one process. Reports of the watchdog name units by it.
	Address uint64
}

// Outside is the processor of events that happened on none: an ordinary goroutine did it, or an
// operation that had left its processor.
const Outside = -1

// Event is one thing that happened. Its kind says what the fields mean; fields without meaning are
// 0.
type Event struct {
	Time      int64  // nanoseconds since the start of the recording
	Message   uint32 // the message that it is about; 0 if the recording has none
	Other     uint32 // another message
	Operation uint32 // number in Operations
	Unit      uint32 // number in Units
	N         int32
	Processor int16 // where it happened, or Outside
	Kind      Kind
}

// Kind says what happened.
type Kind uint8

// The kinds of events. Begin and End come in pairs and are nested; both are on one processor unless
// the kind says otherwise. One of a pair may be missing at the ends of a recording and beside an
// event [KindLost].
const (
	// KindRunBegin: the processor begins to run Message, which is Operation on Unit. Other is the
	// message that has sent it. For an operation on several units Unit is 0: see [KindWith].
	KindRunBegin Kind = iota + 1
	// KindRunEnd: Message has returned. If it left its processor ([KindBlockBegin]), the event is
	// Outside.
	KindRunEnd
	// KindSend: Other, a message, has sent Message to Unit, to run Operation. If an ordinary
	// goroutine has sent it, Other is 0 and N is the goroutine's number. A timer sends Outside, for
	// the message or goroutine that has set it: see [KindTimer].
	KindSend
	// KindNeed: Message needs the outcome of Other. If Message has not begun, it does not begin
	// before Other has its outcome; if it has begun, its own outcome does not come before that of
	// Other.
	KindNeed
	// KindReady: Message, which waited for futures, can run.
	KindReady
	// KindFulfilled: the future of Message, for which something waits, has its outcome.
	KindFulfilled
	// KindSeen: an ordinary goroutine, with the number N, has waited for the outcome of Message and
	// has got it.
	KindSeen
	// KindBranchBegin: the processor begins a branch of a fork, or a part of a loop, that it has
	// stolen from Operation. Message is the message that the processor runs itself, and that waits
	// in a join meanwhile; 0 if there is none.
	KindBranchBegin
	// KindBranchEnd: the branch or part has ended.
	KindBranchEnd
	// KindSwitchIn: Message gets the processor: an activity, named Operation; or an operation that
	// has slept in a join, and goes on.
	KindSwitchIn
	// KindSwitchOut: Message loses the processor: an activity that waits, gives way, or has ended;
	// or an operation that sleeps in a join.
	KindSwitchOut
	// KindSteal: the processor has taken N tasks from the processor Other.
	KindSteal
	// KindSearchBegin: the processor looks for work everywhere.
	KindSearchBegin
	// KindSearchEnd: it has found work if N is 1, and none if N is 0.
	KindSearchEnd
	// KindPark: the processor has nothing to do and sleeps.
	KindPark
	// KindUnpark: another processor or goroutine has woken it.
	KindUnpark
	// KindBlockBegin: Message, which runs, leaves its processor ([freerun.Context.Block]). The
	// processor goes on with other messages.
	KindBlockBegin
	// KindBlockEnd: the function for which Message left its processor has returned. Message still
	// has no processor, so the event is Outside.
	KindBlockEnd
	// KindWith: Message, which has just begun, is an operation on several units. Unit is one of
	// them; each has such an event.
	KindWith
	// KindTimer: Other, a message, has set a timer, which sends Message to Unit, to run Operation
	// ([freerun.Operation.SendAfter]), or resolves it ([freerun.After]). Message is 0 if the
	// recording does not have that: the timer was stopped, or is still set at the end. If an
	// ordinary goroutine has set the timer, Other is 0 and N is the goroutine's number. A
	// [freerun.Promise] is such a timer, which whoever resolves it lets ring.
	KindTimer
	// KindLost: N events are missing here.
	KindLost

	kinds // the number of kinds, plus 1
)

var kindNames = [kinds]string{
	KindRunBegin: "run begin", KindRunEnd: "run end", KindSend: "send", KindNeed: "need", KindReady: "ready", KindFulfilled: "fulfilled", KindSeen: "seen",
	KindBranchBegin: "branch begin", KindBranchEnd: "branch end", KindSwitchIn: "switch in", KindSwitchOut: "switch out", KindSteal: "steal",
	KindSearchBegin: "search begin", KindSearchEnd: "search end", KindPark: "park", KindUnpark: "unpark", KindBlockBegin: "block begin", KindBlockEnd: "block end",
	KindWith: "with", KindTimer: "timer", KindLost: "lost",
}

// String returns the name of the kind, "unknown" if there is no such kind.
func (k Kind) String() string {
	if k == 0 || k >= kinds {
		return "unknown"
	}
	return kindNames[k]
}

// Operation returns the name of the operation with a number, or an empty one if there is none.
func (t *Trace) Operation(n uint32) string {
	if int(n) < len(t.Operations) {
		return t.Operations[n]
	}
	return ""
}
