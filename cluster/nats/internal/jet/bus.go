package jet

import "github.com/nats-io/nats.go"

// Send sends a message to a machine of the program, or to all of them, this one too, if to is
// empty: each gets it at most once. Without a connection it is lost.
func (e *Engine) Send(to string, message []byte) {
	e.outlet.put([]*nats.Msg{{Subject: e.bus(to), Data: message}}, nil)
}

// Listen calls each with the messages to a machine, and with those to all, on two goroutines, until
// stop is called. name is a token of a subject.
func (e *Engine) Listen(name string, each func(message []byte)) (stop func(), err error) {
	all, err := e.nc.Subscribe(e.bus(""), func(m *nats.Msg) { each(m.Data) })
	if err != nil {
		return nil, err
	}
	mine, err := e.nc.Subscribe(e.bus(name), func(m *nats.Msg) { each(m.Data) })
	if err != nil {
		_ = all.Unsubscribe()
		return nil, err
	}
	return func() {
		_ = all.Unsubscribe()
		_ = mine.Unsubscribe()
	}, nil
}
