package simhost

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/freerun-go/freerun/internal/vclock"
)

// Sketch:     the goroutines that run the programs of the members pass a baton: the one that has it
//             runs, and all others wait. It is passed on where a runtime asks its schedule: at each
//             step, and when nothing is left to run there
//             a member that is idle has said until when, and is called again then, or when another
//             member has something happen to it before
// Invariants: J1 One goroutine of all has the baton, and it alone touches the joint and the
//             runtimes. So what happens follows from the random source.
//             J2 Time passes by steps, and jumps when all members are idle.
//             J3 What is between the members, as a network or a store, happens between two steps.

// Joint has the programs of several deterministic runtimes pass the same virtual time: machines
// that talk with each other. Make it with [NewJoint].
type Joint struct {
	random  *rand.Rand
	step    time.Duration // takes a step of a member, at most
	now     time.Duration
	members []*Member
	between *vclock.Clock // what happens between the members
	over    chan struct{}
}

// Member is the [World] of one of the runtimes of a [Joint].
type Member struct {
	*Drawn
	Unmoved
	joint   *Joint
	baton   chan struct{}
	idle    bool
	until   time.Duration // it is idle
	ended   bool
	after   func(d time.Duration, f func())
	crash   func()
	refused error
}

var _ World = (*Member)(nil)

// NewJoint returns a joint without members. A step of one of them takes up to step.
func NewJoint(random *rand.Rand, step time.Duration) *Joint {
	j := &Joint{random: random, step: step, over: make(chan struct{})}
	j.between = vclock.New(j)
	return j
}

// Now returns how much time has passed.
func (j *Joint) Now() time.Duration { return j.now }

// Idle implements [vclock.Source]: the members let time pass.
func (j *Joint) Idle(time.Duration) {}

// After has f happen after a while, whatever becomes of the members. It may call [Member.After],
// and must not use their runtimes.
func (j *Joint) After(d time.Duration, f func()) { j.between.AfterFunc(d, f) }

// Begin begins a member, whose program is f: it makes the runtime, with the member as the schedule,
// sends, and waits, and closes it. It is called before Run, or by what has the baton.
func (j *Joint) Begin(schedule *Drawn, f func(m *Member)) *Member {
	m := &Member{Drawn: schedule, joint: j, baton: make(chan struct{})}
	j.members = append(j.members, m)
	go func() {
		<-m.baton
		defer m.end() // at runtime.Goexit, too
		f(m)
	}()
	return m
}

// Run runs all members to their ends.
func (j *Joint) Run() {
	if len(j.members) > 0 {
		j.next().baton <- struct{}{}
		<-j.over
	}
}

// next returns the member that goes on: any of those that can.
func (j *Joint) next() *Member {
	for {
		for j.between.Due() {
			j.between.Fire()
		}
		var ready []*Member
		for _, m := range j.members {
			if !m.idle || m.until <= j.now {
				ready = append(ready, m)
			}
		}
		if len(ready) > 0 {
			return ready[j.random.IntN(len(ready))]
		}
		j.now = j.members[0].until
		for _, m := range j.members {
			j.now = min(j.now, m.until)
		}
		if at, some := j.between.Next(); some {
			j.now = min(j.now, at)
		}
	}
}

// pass passes the baton on, and returns when it has come back.
func (m *Member) pass() {
	if next := m.joint.next(); next != m {
		next.baton <- struct{}{}
		<-m.baton
	}
}

// end passes the baton on for good.
func (m *Member) end() {
	j := m.joint
	m.ended = true
	j.members = slices.DeleteFunc(j.members, func(other *Member) bool { return other == m })
	if len(j.members) == 0 {
		close(j.over)
	} else {
		j.next().baton <- struct{}{}
	}
}

// After has f happen to the member's process after a while, unless that has ended or crashed: it
// is called as [World.Surround] says.
func (m *Member) After(d time.Duration, f func()) {
	if !m.ended && m.after != nil {
		m.after(d, f)
		m.until = min(m.until, m.joint.now+max(d, 0))
	}
}

// Crash ends the member's process in the middle: its program goes on to its next wait, which fails;
// if it is idle, when it would go on.
func (m *Member) Crash() {
	if !m.ended && m.crash != nil {
		m.crash()
	}
}

// Refused returns why what the program does cannot be simulated, nil if nothing was found.
func (m *Member) Refused() error { return m.refused }

// Choose implements [Schedule].
func (m *Member) Choose(ready []int) int {
	m.joint.now += time.Duration(1 + m.joint.random.Int64N(int64(m.joint.step)))
	m.pass()
	return m.Drawn.Choose(ready)
}

// Now implements [Timed].
func (m *Member) Now() time.Duration { return m.joint.now }

// Idle implements [Timed]. It returns earlier if something happens to the process before.
func (m *Member) Idle(until time.Duration) {
	m.idle, m.until = true, until
	m.pass()
	m.idle = false
}

// Refuse implements [Timed].
func (m *Member) Refuse(why error) {
	if m.refused == nil {
		m.refused = why
	}
}

// Surround implements [World].
func (m *Member) Surround(after func(d time.Duration, f func()), crash func()) {
	m.after, m.crash = after, crash
}
