//go:build explore

package queue

// msFlaws are the steps of michael_scott_list.go with plausible mistakes. Without any it is the
// same algorithm.
type msFlaws struct {
	uncheckedHead bool // h is relied upon as soon as it is named
	uncheckedTail bool // t is
	unfenced      bool // h is looked for again before its word can be seen
	unnamed       bool // n's value is taken without a word for n
	dropsWord     bool // the word for t goes before tail is pushed, as in figure 6
	helplessTake  bool // unlink does not push tail
	helplessLink  bool // link waits for tail to be pushed
	unsearched    bool // a node is used again without a look at the words
}

func (f *msFlaws) enqueue(q *IntrusiveMPMC[*msToken], e *msToken) {
	if !q.list.started() {
		q.list.start(nil)
	}
	r := itemNodes.Enter()
	n := e.node.Take()
	if !f.unsearched {
		n = itemNodes.Acquire(r, n)
	}
	if n == nil {
		n = new(msNode[any])
	}
	n.renew()
	n.value.Set(e)
	for !f.tryLink(&q.list, r, n) {
	}
	itemNodes.Leave(r)
}

func (f *msFlaws) tryLink(l *msList[any], r *msRecord[any], n *msNode[any]) bool {
	for {
		t := l.tail.Load()
		w := r.Names(t)
		if w < 0 {
			w = 0
			r.SetNow(w, t)
			if !f.uncheckedTail && l.tail.Load() != t {
				return false
			}
		}
		if x := t.next.Load(); x != nil {
			if f.helplessLink {
				return false
			}
			l.tail.CompareAndSwap(t, x)
			continue
		}
		n.number.Set(t.number.Get() + 1)
		if !t.next.CompareAndSwap(nil, n) {
			return false
		}
		if f.dropsWord {
			r.SetNow(w, nil)
		}
		l.tail.CompareAndSwap(t, n)
		return true
	}
}

func (f *msFlaws) dequeue(q *IntrusiveMPMC[*msToken]) (*msToken, bool) {
	r := itemNodes.Enter()
	defer itemNodes.Leave(r)
	for {
		n, v, came := f.tryUnlink(&q.list, r)
		if came == msTaken {
			e := v.(*msToken)
			e.node.Set(n)
			return e, true
		}
		if came == msEmpty {
			return nil, false
		}
	}
}

func (f *msFlaws) tryUnlink(l *msList[any], r *msRecord[any]) (retired *msNode[any], v any, came msOutcome) {
	h := l.head.Load()
	if h == nil {
		return nil, nil, msEmpty
	}
	w := r.Names(h)
	if w < 0 {
		w = 0
		if f.unfenced {
			r.Set(w, h)
		} else {
			r.SetNow(w, h)
		}
		if !f.uncheckedHead && l.head.Load() != h {
			return nil, nil, msContended
		}
	}
	n := h.next.Load()
	if n == nil {
		return nil, nil, msEmpty
	}
	if !f.helplessTake && n.next.Load() == nil && l.tail.Load() == h {
		l.tail.CompareAndSwap(h, n)
	}
	if !f.unnamed {
		r.Set(1-w, n)
	}
	if !l.head.CompareAndSwap(h, n) {
		return nil, nil, msContended
	}
	return h, n.value.Take(), msTaken
}

// msHastyClaim is a claim that relies upon the first retired node as soon as it is named.
func msHastyClaim(q *UnboundedMPMC[int], r *msRecord[int]) (*msNode[int], int) {
	f := q.retired.Load()
	r.SetNow(0, f)
	h := q.list.head.Load()
	x, count := f, 0
	for count < msBatch && x != h && x != nil {
		x = x.next.Load()
		count++
	}
	if count == msBatch && x != nil && q.retired.CompareAndSwap(f, x) {
		return f, count
	}
	return nil, 0
}
