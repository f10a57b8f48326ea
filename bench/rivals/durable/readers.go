package main

import "sync"

// readers are goroutines that read states, one each at a time.
type readers struct {
	asked chan question
	ended sync.WaitGroup
}

type question struct {
	key  uint64
	done func(n int64, err error)
}

// newReaders starts n goroutines that call read.
func newReaders(n int, read func(key uint64) (int64, error)) *readers {
	r := &readers{asked: make(chan question, 4096)}
	for range n {
		r.ended.Go(func() {
			for q := range r.asked {
				q.done(read(q.key))
			}
		})
	}
	return r
}

func (r *readers) ask(key uint64, done func(int64, error)) { r.asked <- question{key, done} }

// close ends the goroutines, once all that was asked is answered.
func (r *readers) close() {
	close(r.asked)
	r.ended.Wait()
}
