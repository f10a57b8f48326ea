//go:build explore

package conformance

import (
	"fmt"
	"iter"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/internal/verify/linear"
)

// verbs maps the methods of queues and of their handles to the letters of programs. Methods without
// a letter are part of every program. A method that is missing here fails the test: no program
// calls it.
var verbs = map[string]rune{
	// TryEnqueue of an unbounded queue calls Enqueue.
	"TryEnqueue": 'e', "Push": 'e', "Enqueue": 0,
	"TryDequeue": 'd', "TryPop": 'd',
	"EnqueueN": 'E', "DequeueN": 'D', "Drain": 'r', "TakeAll": 'a',
	"Len": 'n', "Empty": 'z', "Cap": 'c',
	"Producer": 0, "Consumer": 0, "Register": 0, // make handles
	"Producers": 'p', "Consumers": 'p',
}

// handleVerbs are the letters for methods of a producer's handle that count one producer's items
// only.
var handleVerbs = map[string]rune{"Len": 'l', "Cap": 'l'}

// ExploreVerbs explores every method of a queue and of its handles during other calls: observers
// during each call that changes the queue, with two and three threads, and batches during batches.
// Histories are checked, with short counts and the answers of observers.
func ExploreVerbs(t *testing.T, s QueueSpec) {
	t.Helper()
	if err := s.check(); err != nil {
		t.Fatal(err)
	}
	letters, unknown := s.letters()
	for _, name := range unknown {
		t.Errorf("%T has a method %s that no program of the explorer calls", s.New(1), name)
	}
	for _, c := range scenarios(s.Bounded, s.fits, s.besides(letters)...) {
		preemptions := 2
		if len(c.threads) == 3 && !s.Long {
			preemptions = explore.Unbounded
		}
		t.Run(fmt.Sprint(c), func(t *testing.T) { explore.Exhaustive(t, preemptions, s.body(c)) })
	}
}

// letters returns the letters of the methods that the queue and its handles have, and the names of
// the methods without an entry in verbs.
func (s QueueSpec) letters() (letters []rune, unknown []string) {
	q := s.New(1)
	for i, v := range []any{inside(q), producer(q), consumer(q)} {
		of := reflect.TypeOf(v)
		handle := i == 1 && of != reflect.TypeOf(q)
		if i > 0 && of == reflect.TypeOf(q) {
			continue
		}
		for i := range of.NumMethod() {
			name := of.Method(i).Name
			// Deregister ends a handle. No call may follow it, so it has tests of its own.
			if name == "Deregister" {
				continue
			}
			if f := runtime.FuncForPC(of.Method(i).Func.Pointer()); verbs[name] == 0 && isTest(f) {
				continue
			}
			letter, known := verbs[name]
			if handle && handleVerbs[name] != 0 {
				letter = handleVerbs[name]
			}
			switch {
			case !known:
				unknown = append(unknown, name)
			case letter != 0 && !slices.Contains(letters, letter):
				letters = append(letters, letter)
			}
		}
	}
	slices.Sort(letters)
	return letters, unknown
}

// isTest reports whether a function is declared in a test.
func isTest(f *runtime.Func) bool {
	file, _ := f.FileLine(f.Entry())
	return strings.HasSuffix(file, "_test.go")
}

// besides returns programs in which each of the calls overlaps calls that change the queue.
func (s QueueSpec) besides(letters []rune) (programs []string) {
	has := func(letter rune) bool { return slices.Contains(letters, letter) }
	for _, call := range letters {
		switch call {
		case 'l':
			programs = append(programs, "e-l", "d-l", "ed-ll", "e-d-l", "E-l", "Ed-l")
		case 'n', 'z', 'c', 'p':
			programs = append(programs, fmt.Sprintf("e-%c", call), fmt.Sprintf("d-%c", call), fmt.Sprintf("ed-%c%c", call, call), fmt.Sprintf("ede-%c", call), fmt.Sprintf("e-d-%c", call))
			if !s.OneProducer {
				programs = append(programs, fmt.Sprintf("ed-e-%c", call))
			}
			if !s.OneConsumer {
				programs = append(programs, fmt.Sprintf("ed-d-%c", call))
			}
			if has('E') {
				programs = append(programs, fmt.Sprintf("E-%c", call))
			}
			if has('D') {
				programs = append(programs, fmt.Sprintf("D-%c", call), fmt.Sprintf("Ed-%c", call))
			}
		case 'r', 'a':
			programs = append(programs, fmt.Sprintf("ee-%c", call))
			if !s.OneConsumer {
				programs = append(programs, fmt.Sprintf("d-%c", call), fmt.Sprintf("e-d-%c", call))
			}
		case 'E':
			programs = append(programs, "E-d", "E-dd", "Ee-d")
			if !s.OneProducer {
				programs = append(programs, "E-e", "E-e-d")
			}
		case 'D':
			programs = append(programs, "e-D", "ee-D", "e-Dd")
			if has('E') {
				programs = append(programs, "E-D", "EE-DD")
			}
			if !s.OneConsumer {
				programs = append(programs, "D-d", "e-D-d")
			}
		}
	}
	return programs
}

// observe makes a call other than an enqueue or a dequeue of one item or of a batch.
func (s QueueSpec) observe(r *explore.Run, q Total[int], c scenario, client *linear.Client, call rune, put Enqueuer[int], in Dequeuer[int]) {
	switch call {
	case 'l': // all items are put's
		client.Len(put.(measured).Len)
		s.capacityOf(r, put, c.capacity)
	case 'n':
		client.Len(q.(measured).Len)
	case 'z':
		client.Empty(inside(q).(interface{ Empty() bool }).Empty)
	case 'c':
		s.capacityOf(r, q, c.capacity)
	case 'p':
		s.count(r, q)
	case 'r':
		s.drain(q, client, in)
	case 'a':
		client.TakeAll(linear.Dequeue, func() []int { return slices.Collect(inside(q).(interface{ TakeAll() iter.Seq[int] }).TakeAll()) })
	}
}

// capacityOf checks Cap of a queue or handle.
func (s QueueSpec) capacityOf(r *explore.Run, v any, capacity int) {
	if got, want := v.(interface{ Cap() int }).Cap(), s.fits(capacity); got != want {
		r.Failf("Cap() = %d, want %d", got, want)
	}
}

// count asks twice for the number of handles. No handle is made or given back while threads run, so
// the answers must be equal.
func (s QueueSpec) count(r *explore.Run, q Total[int]) {
	var ask func() int
	switch q := q.(type) {
	case interface{ Producers() int }:
		ask = q.Producers
	case interface{ Consumers() int }:
		ask = q.Consumers
	}
	if first, second := ask(), ask(); first < 1 || first != second {
		r.Failf("%d handles, and then %d", first, second)
	}
}

// drain records each item of a loop over Drain as a call of its own, and the end of the loop as a
// call that found no item.
func (s QueueSpec) drain(q Total[int], client *linear.Client, in Dequeuer[int]) {
	type drainer interface{ Drain(yield func(int) bool) }
	from, can := in.(drainer)
	if !can {
		from = q.(drainer)
	}
	begin := client.Begin()
	for v := range from.Drain {
		client.End(begin, linear.Call{Verb: linear.Dequeue}, linear.Answer{Value: v, OK: true})
		begin = client.Begin()
	}
	client.End(begin, linear.Call{Verb: linear.Dequeue}, linear.Answer{})
}

// ExploreStackVerbs explores every method of a stack as [ExploreVerbs] explores those of a queue.
func ExploreStackVerbs(t *testing.T, s StackSpec) {
	t.Helper()
	ExploreVerbs(t, s.queue(t))
}

// inside returns the container inside an adapter, or v itself.
func inside(v any) any {
	switch v := v.(type) {
	case stackQueue[int]:
		return v.PushPopper
	case measuredStack[int]:
		return v.PushPopper
	}
	return v
}
