//go:build explore

package michaelscott

// flaws are the steps of list.go with plausible mistakes. Without any it is the
// same algorithm.
type flaws struct {
	uncheckedHead bool // h is relied upon as soon as it is named
	uncheckedTail bool // t is
	unfenced      bool // h is looked for again before its word can be seen
	unnamed       bool // n's value is taken without a word for n
	dropsWord     bool // the word for t goes before tail is pushed, as in figure 6
	helplessTake  bool // unlink does not push tail
	helplessLink  bool // link waits for tail to be pushed
	unsearched    bool // a node is used again without a look at the words
}

func (f *flaws) enqueue(q *IntrusiveMPMC[*token], e *token) {
	if !q.list.started() {
		q.list.start(nil)
	}
	r := itemNodes.Enter()
	n := e.node.Take()
	if !f.unsearched {
		n = itemNodes.Acquire(r, n)
	}
	if n == nil {
		n = new(node[any])
	}
	n.renew()
	n.value.Set(e)
	for !f.tryLink(&q.list, r, n) {
	}
	itemNodes.Leave(r)
}

func (f *flaws) tryLink(l *list[any], r *record[any], n *node[any]) bool {
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

func (f *flaws) dequeue(q *IntrusiveMPMC[*token]) (*token, bool) {
	r := itemNodes.Enter()
	defer itemNodes.Leave(r)
	for {
		n, v, came := f.tryUnlink(&q.list, r)
		if came == taken {
			e := v.(*token)
			e.node.Set(n)
			return e, true
		}
		if came == empty {
			return nil, false
		}
	}
}

func (f *flaws) tryUnlink(l *list[any], r *record[any]) (retired *node[any], v any, came outcome) {
	h := l.head.Load()
	if h == nil {
		return nil, nil, empty
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
			return nil, nil, contended
		}
	}
	n := h.next.Load()
	if n == nil {
		return nil, nil, empty
	}
	if !f.helplessTake && n.next.Load() == nil && l.tail.Load() == h {
		l.tail.CompareAndSwap(h, n)
	}
	if !f.unnamed {
		r.Set(1-w, n)
	}
	if !l.head.CompareAndSwap(h, n) {
		return nil, nil, contended
	}
	return h, n.value.Take(), taken
}

// hastyClaim is a claim that relies upon the first retired node as soon as it is named.
func hastyClaim(q *UnboundedMPMC[int], r *record[int]) (*node[int], int) {
	f := q.retired.Load()
	r.SetNow(0, f)
	h := q.list.head.Load()
	x, count := f, 0
	for count < batch && x != h && x != nil {
		x = x.next.Load()
		count++
	}
	if count == batch && x != nil && q.retired.CompareAndSwap(f, x) {
		return f, count
	}
	return nil, 0
}
