package alloc

import (
	"errors"
	"strconv"
	"sync"

	"github.com/freerun-go/freerun/programs"
)

// under is how many batches may be under way to a task.
const under = 4

// liveBatches is how many batches of a task exist at most: one that it allocates, one that it
// keeps, one that it frees or is about to hand over, and those under way.
const liveBatches = 3 + under

// run divides the blocks among the tasks, starts them together, and measures until the last one has
// ended.
func run[R any](open Open[R], v programs.Values) (result programs.Result, err error) {
	n, batch := v.Get(paramTasks), v.Get(paramBatch)
	blocks, foreign := uint64(v.Get(paramBlocks)), v.Get(paramForeign)
	source, err := open(Demand{Size: v.Get(programs.Size), Tasks: n, Blocks: v.Get(paramBlocks), Live: n * liveBatches * batch, Foreign: foreign > 0})
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	ways := make([]chan []R, n) // to each task
	for i := range ways {
		ways[i] = make(chan []R, under)
	}
	tasks := make([]*task[R], n)
	for i := range tasks {
		tasks[i] = &task[R]{
			memory: source.Task(i), size: v.Get(programs.Size), batch: batch, foreign: foreign, touch: v.Get(paramTouch) == 1,
			next: uint64(i) * blocks / uint64(n), end: uint64(i+1) * blocks / uint64(n),
			in: ways[i], out: ways[(i+1)%n],
		}
	}
	finish := programs.NewFinish(n)
	gate := make(chan struct{})
	var group sync.WaitGroup
	for _, t := range tasks {
		group.Go(func() {
			<-gate
			if err := t.work(); err != nil {
				finish.Fail(err)
			}
			finish.Reached()
		})
	}
	meter, collections := programs.MeterCollections()
	close(gate)
	end, err := finish.Wait()
	result = meter.StopAt(end, blocks)
	result.Figures = collections.Figures(result)
	group.Wait()
	var sum uint64
	for _, t := range tasks {
		sum += t.sum
	}
	result.Checksum = strconv.FormatUint(sum, 10)
	return result, err
}
