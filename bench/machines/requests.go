package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// mostCall is how long a call may take.
const mostCall = 30 * time.Second

// natsRequests has one responder that counts in a map, as its subscription calls it for one message
// at a time.
var natsRequests = variant{
	name: "nats-request", server: true,
	promises: "at most once; the state is in memory, and the responder is where it is",
	units:    responder, caller: requester,
}

const requested = "machines.count."

func responder(p place) (stop func(), err error) {
	nc, err := nats.Connect(p.URL)
	if err != nil {
		return nil, err
	}
	counts := map[int]int64{}
	_, err = nc.Subscribe(requested+"*", func(m *nats.Msg) {
		unit, err := strconv.Atoi(strings.TrimPrefix(m.Subject, requested))
		if err != nil || len(m.Data) != argument {
			return // and so it is late
		}
		counts[unit]++
		_ = m.Respond(binary.BigEndian.AppendUint64(nil, uint64(counts[unit])))
	})
	if err = errors.Join(err, nc.Flush()); err != nil {
		nc.Close()
		return nil, err
	}
	return nc.Close, nil
}

func requester(p place) (*caller, error) {
	nc, err := nats.Connect(p.URL)
	if err != nil {
		return nil, err
	}
	subjects := make([]string, units)
	for unit := range units {
		subjects[unit] = requested + strconv.Itoa(unit)
	}
	return &caller{
		call: func(unit int) (int64, error) {
			m, err := nc.Request(subjects[unit], []byte(pad), mostCall)
			if err != nil {
				return 0, err
			}
			if len(m.Data) != 8 {
				return 0, fmt.Errorf("an answer of %d bytes", len(m.Data))
			}
			return int64(binary.BigEndian.Uint64(m.Data)), nil
		},
		stop: nc.Close,
	}, nil
}
