package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tochemey/goakt/v4/actor"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

var goaktLedgers = scenario{
	name: "goakt-grains", ports: 3,
	promises: "a state in memory: that of the machine is lost with it, and others have the units anew",
	node:     goaktNode,
}

// goaktLedger is a grain that keeps identities. It answers an empty text with all of them.
type goaktLedger struct{ ids []string }

func (*goaktLedger) OnActivate(context.Context, *actor.GrainProps) error   { return nil }
func (*goaktLedger) OnDeactivate(context.Context, *actor.GrainProps) error { return nil }
func (g *goaktLedger) OnReceive(c *actor.GrainContext) {
	m, ok := c.Message().(*wrapperspb.StringValue)
	switch {
	case !ok:
		c.Unhandled()
	case m.Value == "":
		c.Response(wrapperspb.String(list(g.ids)))
	default:
		g.ids = append(g.ids, m.Value)
		c.Response(wrapperspb.String(m.Value))
	}
}

// goaktNode is a machine of a cluster of three.
func goaktNode(p place) (*member, error) {
	ports := []int{p.Ports[1]}
	for i := 1; i < len(p.Others); i += len(p.Ports) {
		ports = append(ports, p.Others[i])
	}
	s, err := startGoaktNode(p, &goaktLedger{}, ports...)
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	identity := func(unit int) (*actor.GrainIdentity, error) {
		fresh := func(context.Context) (actor.Grain, error) { return &goaktLedger{}, nil }
		return s.GrainIdentity(ctx, unitName(unit), fresh, actor.WithLongLivedGrain(), actor.WithActivationStrategy(actor.LocalActivation))
	}
	hold := func() error {
		if err := goaktPeers(s, machines-1); err != nil {
			return err
		}
		for unit := range ledgers {
			if _, err := identity(unit); err != nil {
				return err
			}
		}
		return nil
	}
	ask := func(unit int, text string, most time.Duration) (string, error) {
		id, err := identity(unit) // finds the grain, or makes it active
		if err != nil {
			return "", err
		}
		a, err := s.AskGrain(ctx, id, wrapperspb.String(text), most)
		m, ok := a.(*wrapperspb.StringValue)
		if err != nil || !ok {
			return "", errors.Join(err, fmt.Errorf("the answer is %T", a))
		}
		return m.Value, nil
	}
	find := func(string) (*book, error) {
		return &book{
			note: func(unit int, id string, most time.Duration) error {
				_, err := ask(unit, id, most)
				return err
			},
			read: func(unit int) ([]string, error) {
				text, err := ask(unit, "", mostCall)
				return unlist(text), err
			},
		}, goaktPeers(s, machines-1)
	}
	return &member{self: at(p.Ports[0]), hold: hold, find: find, stop: stopGoakt(s)}, nil
}
