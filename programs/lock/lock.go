package lock

import (
	"strconv"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/programs"
)

// Names of the parameters.
const (
	paramTasks = "tasks"
	paramLocks = "local"
)

// Program is the program with all its variants.
var Program = &programs.Program{
	Name:      "lock",
	Doc:       "tasks that lock and unlock, each a lock of its own, or all the same",
	Source:    "fourth paper, section 6, figure 9",
	Operation: "lock and unlock",
	Params: []programs.Param{
		{Name: programs.Size, Doc: "times that locks are taken, by all together", Default: 5_000_000, Quick: 100_000, Min: 10, Max: 1_000_000_000},
		{Name: paramTasks, Letter: "n", Doc: "tasks", Default: 1000, Quick: 100, Min: 1, Max: 1_000_000},
		{Name: paramLocks, Doc: "1 for a lock of its own for each task, 0 for one lock for all", Default: 0, Quick: 0, Min: 0, Max: 1},
	},
	Points: []map[string]int{
		{paramTasks: 1, paramLocks: 1},
		{paramTasks: 1000, paramLocks: 1},
		{paramTasks: 2, paramLocks: 0},
		{paramTasks: 1000, paramLocks: 0},
	},
	Variants: []programs.Variant{
		{Name: "activities", Kind: programs.Freerun, Doc: "activities and activity.Mutex", Run: runActivities[activity.Mutex]},
		{Name: "activities-fair", Kind: programs.Freerun, Doc: "activities and activity.FairMutex", Run: runActivities[activity.FairMutex]},
		{Name: "goroutines", Kind: programs.PlainGo, Doc: "goroutines and sync.Mutex", Run: runGoroutines},
	},
	Expected: func(v programs.Values) string { return strconv.Itoa(v.Get(programs.Size)) },
}

// guarded is a count under a lock, on cache lines of its own.
type guarded[L any] struct {
	_     pad.Line
	lock  L
	count int
	_     pad.Line
}

// contest is the tasks with the locks that they take.
type contest[L any] struct {
	size, tasks int
	locks       []guarded[L]
}

func newContest[L any](v programs.Values) *contest[L] {
	c := &contest[L]{size: v.Get(programs.Size), tasks: v.Get(paramTasks), locks: make([]guarded[L], 1)}
	if v.Get(paramLocks) == 1 {
		c.locks = make([]guarded[L], c.tasks)
	}
	return c
}

// part returns which lock task i takes, and how often.
func (c *contest[L]) part(i int) (lock *guarded[L], times int) {
	return &c.locks[i%len(c.locks)], (i+1)*c.size/c.tasks - i*c.size/c.tasks
}

// checksum returns how often locks were taken.
func (c *contest[L]) checksum() string {
	sum := 0
	for i := range c.locks {
		sum += c.locks[i].count
	}
	return strconv.Itoa(sum)
}
