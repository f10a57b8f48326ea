package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/cluster"
	"github.com/asynkron/protoactor-go/cluster/clusterproviders/automanaged"
	"github.com/asynkron/protoactor-go/cluster/identitylookup/disthash"
	"github.com/asynkron/protoactor-go/remote"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

var (
	protoActors = variant{
		name: "protoactor-remote", ports: 1,
		promises: "at most once; the state is in memory, and the actor is where it is",
		units:    protoActorUnits, caller: protoActorCaller,
	}
	protoGrains = variant{
		name: "protoactor-grains", ports: 2,
		promises: "asked again until it is answered, so once or more; the state is in memory, and the grain on a machine that all agree on",
		units:    protoGrainUnits, caller: protoGrainCaller,
	}
)

// protoActor returns the properties of actors that count.
func protoActor() *actor.Props {
	return actor.PropsFromProducer(func() actor.Actor { return &protoCounter{} })
}

type protoCounter struct{ n int64 }

func (a *protoCounter) Receive(c actor.Context) {
	if _, ok := c.Message().(*wrapperspb.BytesValue); ok {
		a.n++
		c.Respond(wrapperspb.Int64(a.n))
	}
}

func protoSystem() *actor.ActorSystem {
	return actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelError}))
	}))
}

// startProto starts an actor system at the first port of a place.
func startProto(p place) (s *actor.ActorSystem, stop func()) {
	s = protoSystem()
	r := remote.NewRemote(s, remote.Configure("127.0.0.1", p.Ports[0]))
	r.Start()
	return s, func() {
		r.Shutdown(false)
		s.Shutdown()
	}
}

func protoActorUnits(p place) (stop func(), err error) {
	s, stop := startProto(p)
	for unit := range units {
		if _, err := s.Root.SpawnNamed(protoActor(), unitName(unit)); err != nil {
			return stop, err
		}
	}
	return stop, nil
}

func protoActorCaller(p place) (*caller, error) {
	s, stop := startProto(p)
	pids := make([]*actor.PID, units)
	for unit := range units {
		pids[unit] = actor.NewPID(at(p.Others[0]), unitName(unit))
	}
	send := func(unit int) func() (int64, error) {
		f := s.Root.RequestFuture(pids[unit], wrapperspb.Bytes([]byte(pad)), mostCall)
		return func() (int64, error) { return answerOf(f.Result()) }
	}
	return &caller{
		call: func(unit int) (int64, error) { return send(unit)() },
		send: send,
		stop: stop,
	}, nil
}

const protoKind = "counter"

// startProtoNode starts a member of a cluster: the second port is for finding the others.
func startProtoNode(p place, kinds ...*cluster.Kind) *cluster.Cluster {
	hosts := []string{at(p.Ports[1])}
	for i := 1; i < len(p.Others); i += len(p.Ports) {
		hosts = append(hosts, at(p.Others[i]))
	}
	provider := automanaged.NewWithConfig(time.Second, p.Ports[1], hosts...)
	config := cluster.Configure("machines", provider, disthash.New(), remote.Configure("127.0.0.1", p.Ports[0]), cluster.WithKinds(kinds...))
	c := cluster.New(protoSystem(), config)
	c.StartMember()
	return c
}

func protoGrainUnits(p place) (stop func(), err error) {
	c := startProtoNode(p, cluster.NewKind(protoKind, protoActor()))
	return func() { c.Shutdown(false) }, nil
}

// protoGrainCaller calls grains that the other machine has: it is the only one with their kind.
func protoGrainCaller(p place) (*caller, error) {
	c := startProtoNode(p)
	for unit := range units {
		for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
			pid := c.Get(unitName(unit), protoKind)
			if pid != nil && strings.HasSuffix(pid.Address, at(p.Others[0])) {
				break
			}
			if time.Now().After(end) {
				return nil, errors.Join(errors.New("the machines do not know each other"), fmt.Errorf("%s is at %v", unitName(unit), pid))
			}
		}
	}
	return &caller{
		call: func(unit int) (int64, error) {
			return answerOf(c.Request(unitName(unit), protoKind, wrapperspb.Bytes([]byte(pad))))
		},
		send: func(unit int) func() (int64, error) {
			f, err := c.RequestFuture(unitName(unit), protoKind, wrapperspb.Bytes([]byte(pad)))
			if err != nil {
				return func() (int64, error) { return 0, err }
			}
			return func() (int64, error) { return answerOf(f.Result()) }
		},
		stop: func() { c.Shutdown(false) },
	}, nil
}
