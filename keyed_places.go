package freerun

// keyedPlaces are the places that a job needs: one in the Keyed, and one in the mailbox of its key
// if that has a limit.
type keyedPlaces struct {
	total, ofKey       *mailboxLimit
	hasTotal, hasOfKey bool
}

func (p *keyedPlaces) all() bool { return p.hasTotal && p.hasOfKey }

// take takes the places that there are. It returns an error, and takes none, if the sender must not
// wait for those that are missing.
func (p *keyedPlaces) take(w *worker, full FullPolicy) error {
	p.hasTotal = p.total.tryTake()
	p.hasOfKey = p.hasTotal && (p.ofKey == nil || p.ofKey.tryTake())
	if p.all() || full == WaitForRoom && w.standing() == outsider {
		return nil
	}
	e := &keyedFullError{most: p.total.most}
	if p.hasTotal {
		e = &keyedFullError{most: p.ofKey.most, ofKey: true}
	}
	p.giveBack()
	return e
}

// await waits for the missing places: first for the one in the Keyed, because the other one is
// sooner free again.
func (p *keyedPlaces) await(m *message, from *sender) error {
	if !p.hasTotal {
		if err := p.total.await(m, from); err != nil {
			return err
		}
		p.hasTotal = true
	}
	if p.ofKey != nil && !p.hasOfKey {
		if err := p.ofKey.await(m, from); err != nil {
			return err
		}
	}
	p.hasOfKey = true
	return nil
}

// giveBack gives back the places that were taken, of a job that is not accepted.
func (p *keyedPlaces) giveBack() {
	if p.hasOfKey && p.ofKey != nil {
		p.ofKey.takeOut()
	}
	if p.hasTotal {
		p.total.takeOut()
	}
	p.hasTotal, p.hasOfKey = false, false
}
