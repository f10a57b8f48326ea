package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/cluster"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

var protoLedgers = scenario{
	name: "protoactor-grains", ports: 2,
	promises: goaktLedgers.promises,
	node:     protoNode,
}

// protoLedger is a grain that keeps identities. It answers an empty text with all of them.
type protoLedger struct{ ids []string }

func (g *protoLedger) Receive(c actor.Context) {
	switch m, ok := c.Message().(*wrapperspb.StringValue); {
	case !ok:
	case m.Value == "":
		c.Respond(wrapperspb.String(list(g.ids)))
	default:
		g.ids = append(g.ids, m.Value)
		c.Respond(wrapperspb.String(m.Value))
	}
}

// protoNode is a machine of a cluster of three.
func protoNode(p place) (*member, error) {
	props := actor.PropsFromProducer(func() actor.Actor { return &protoLedger{} })
	c := startProtoNode(p, cluster.NewKind(protoKind, props))
	find := func(owner string) (*book, error) {
		names, err := protoUnitsAt(c, owner)
		if err != nil {
			return nil, err
		}
		ask := func(unit int, text string, most time.Duration) (string, error) {
			a, err := c.Request(names[unit], protoKind, wrapperspb.String(text), cluster.WithTimeout(most))
			m, ok := a.(*wrapperspb.StringValue)
			if err != nil || !ok {
				return "", errors.Join(err, fmt.Errorf("the answer is %T", a))
			}
			return m.Value, nil
		}
		return &book{
			note: func(unit int, id string, most time.Duration) error {
				_, err := ask(unit, id, most)
				return err
			},
			read: func(unit int) ([]string, error) {
				text, err := ask(unit, "", mostCall)
				return unlist(text), err
			},
		}, nil
	}
	return &member{self: at(p.Ports[0]), find: find, stop: func() { c.Shutdown(false) }}, nil
}

// protoUnitsAt returns names of units that a machine has, once there are three.
func protoUnitsAt(c *cluster.Cluster, owner string) (names []string, err error) {
	for end := time.Now().Add(mostCall); c.MemberList.Members().Len() < machines; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			return nil, errors.New("the machines do not know each other")
		}
	}
	time.Sleep(2 * time.Second) // all know all
	for unit := 0; len(names) < ledgers; unit++ {
		if pid := c.Get(unitName(unit), protoKind); pid != nil && pid.Address == owner {
			names = append(names, unitName(unit))
		}
		if unit > 1000*ledgers {
			return nil, fmt.Errorf("machine %s has no units", owner)
		}
	}
	return names, nil
}
