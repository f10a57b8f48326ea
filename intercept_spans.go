package freerun

import "github.com/freerun-go/freerun/internal/spans"

// What spans need of an operation beside its Invocation. internal/spans says what each is for.

func init() {
	spans.Provide(spans.Seam[*Invocation]{Unit: spanUnit, Answers: func(i *Invocation) bool { return !i.told }, Sign: signFuture, Signs: signsOfArg})
}

// unitAt returns the unit with number n of those of a message, nil if there is none.
func (k *vtable) unitAt(m *message, n int) *unit {
	switch {
	case k.multiAt != 0:
		if parts := k.multi(m).all(); n < len(parts) {
			return parts[n].unit
		}
	case n == 0 && !m.free():
		return m.unit
	}
	return nil
}

func spanUnit(i *Invocation, n int) (spans.Unit, bool) {
	m := i.checked().message
	u := m.vtable().unitAt(m, n)
	if u == nil {
		return spans.Unit{}, false
	}
	name, kind, key := u.titles()
	return spans.Unit{Name: name, Kind: kind, Key: key}, true
}

// titles returns the name of the unit, and for one of a kind that of the kind and the text of the
// key, which are parts of the name.
func (u *unit) titles() (name, kind, key string) {
	name = u.called()
	if x := u.ext.Load(); x != nil && x.keyed() != nil {
		kind = x.keyed().settings.home.kind.declared.name
		key = name[len(kind)+len("(") : len(name)-len(")")]
	}
	return name, kind, key
}

// signFuture gives the running message a lineage that is its own, with a signature.
func signFuture(i *Invocation, value any) {
	m := i.checked().message
	if i.told {
		return
	}
	m.lineage.Store(m.lineage.Load().sign(value))
}

func signsOfArg(i *Invocation) (all []any) {
	of := i.checked().of
	if of.argPlan == nil {
		return nil
	}
	eachPromise(of.argPlan, of.argIn(i.message, i.told), func(m *promised) {
		if o := m.lineage.Load(); o != nil && o.signed != nil {
			all = append(all, o.signed.value)
		}
	})
	return all
}
