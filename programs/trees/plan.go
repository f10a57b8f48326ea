package trees

import (
	"errors"
	"fmt"
	"sync"

	"github.com/freerun-go/freerun/programs"
)

// leastDepth is the depth of the smallest trees.
const leastDepth = 4

// plan tells which trees are built. A tree of depth 0 is one node.
type plan struct {
	depth int // depth of the long-lived tree
	tasks int
}

func newPlan(v programs.Values, processors int) plan {
	p := plan{depth: v.Get(programs.Size), tasks: v.Get(paramTasks)}
	if p.tasks == 0 {
		p.tasks = processors
	}
	return p
}

// stretch returns the depth of the first tree.
func (p plan) stretch() int { return p.depth + 1 }

// short returns how many short-lived trees of a depth are built: about the same number of nodes for
// each depth.
func (p plan) short(depth int) int { return 1 << (p.depth - depth + leastDepth) }

// nodes returns how many nodes a tree has.
func nodes(depth int) uint64 { return 1<<(depth+1) - 1 }

// shortNodes returns how many nodes all short-lived trees have.
func (p plan) shortNodes() (sum uint64) {
	for depth := leastDepth; depth <= p.depth; depth += 2 {
		sum += uint64(p.short(depth)) * nodes(depth)
	}
	return sum
}

// operations returns how many nodes are allocated.
func (p plan) operations() uint64 { return nodes(p.stretch()) + nodes(p.depth) + p.shortNodes() }

// due returns the expected checksum.
func (p plan) due() string { return checksum(nodes(p.stretch()), p.shortNodes(), nodes(p.depth)) }

func checksum(stretch, short, long uint64) string {
	return fmt.Sprintf("%d %d %d", stretch, short, long)
}

// forest is where one task builds trees. One goroutine at a time calls it.
type forest interface {
	// passing builds a tree, counts its nodes, and drops it.
	passing(depth int) (nodes uint64, err error)
	// lasting builds a tree, and returns a function that later counts its nodes and drops it.
	lasting(depth int) (count func() (nodes uint64, err error), err error)
}

// run builds the trees, each task in a forest of its own, and measures until all have been counted.
// The first forest has the first tree and the long-lived one.
func (p plan) run(forests []forest) (programs.Result, error) {
	meter, collections := programs.MeterCollections()
	counted, err := p.build(forests)
	result := meter.Stop(p.operations())
	result.Checksum, result.Figures = counted, collections.Figures(result)
	return result, err
}

// build builds the trees and returns the checksum of their nodes.
func (p plan) build(forests []forest) (string, error) {
	stretch, err := forests[0].passing(p.stretch())
	if err != nil {
		return "", err
	}
	count, err := forests[0].lasting(p.depth)
	if err != nil {
		return "", err
	}
	short, err := p.buildShort(forests)
	long, failed := count()
	return checksum(stretch, short, long), errors.Join(err, failed)
}

// buildShort divides the trees of each depth among the tasks, and returns the number of their
// nodes. No task waits for another.
func (p plan) buildShort(forests []forest) (sum uint64, err error) {
	sums, failures := make([]uint64, len(forests)), make([]error, len(forests))
	var all sync.WaitGroup
	for i, f := range forests {
		all.Go(func() { sums[i], failures[i] = p.share(f, i, len(forests)) })
	}
	all.Wait()
	for _, n := range sums {
		sum += n
	}
	return sum, errors.Join(failures...)
}

// share builds the short-lived trees of task i, of this many tasks.
func (p plan) share(f forest, i, tasks int) (sum uint64, err error) {
	for depth := leastDepth; depth <= p.depth; depth += 2 {
		all := p.short(depth)
		for range (i+1)*all/tasks - i*all/tasks {
			n, err := f.passing(depth)
			if err != nil {
				return sum, err
			}
			sum += n
		}
	}
	return sum, nil
}
