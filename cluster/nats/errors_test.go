package nats_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/nats"
)

// refused has a runtime join servers that do not take it, and holds what the error is and says.
func refused(t *testing.T, is error, says, program, urls string, options ...nats.Option) {
	t.Helper()
	rt := freerun.New()
	defer rt.Close()
	node, err := cluster.Join(rt, nats.Servers(program, urls, options...))
	if err == nil {
		t.Errorf("%s has joined; want %q", program, says)
		_ = node.Close()
		return
	}
	if is != nil && !errors.Is(err, is) || !strings.Contains(err.Error(), says) {
		t.Errorf("%s: %v; want %q", program, err, says)
	}
}

// TestRefused holds that each error of the package is found, and says what to do.
func TestRefused(t *testing.T) {
	t.Parallel()
	url := serve(t, nil)
	soon := nats.Within(500 * time.Millisecond)
	refused(t, nil, "its URLs are empty", "refused", "")
	refused(t, nil, "it needs 1 to 64 of a to z", "Refused", url)
	refused(t, cluster.ErrStateLost, "the first start asks for them, with the option Create", "refused", url)
	refused(t, nats.ErrNoServer, "no server of nats://127.0.0.1:1 answers", "refused", "nats://127.0.0.1:1", soon)
	refused(t, nats.ErrKeeps, "ReconnectBufSize(-1)", "refused", url, nats.Connection(natsgo.ReconnectBufSize(1000)))
	refused(t, nil, "4 pairs of streams for 3 partitions", "refused", url, nats.Create(1), nats.Partitions(3), nats.Pairs(4))
	refused(t, nil, "one server takes the option Create with 1", "refused", url, nats.Create(3))
	none := serve(t, func(o *server.Options) { o.JetStream = false })
	refused(t, nats.ErrNoJetStream, "start it with JetStream", "refused", none)
	refused(t, nats.ErrTooOld, "2.11.9; it needs 2.12.0 or later", "refused", old(t))
}

// TestMismatch holds that streams of something else, and such as were made otherwise, are refused.
func TestMismatch(t *testing.T) {
	t.Parallel()
	url := serve(t, nil)
	nc, err := natsgo.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "foreign-in-0", Subjects: []string{"foreign.in"}}); err != nil {
		t.Fatal(err)
	}
	refused(t, nats.ErrMismatch, "was not made by freerun; give the program another name", "foreign", url, nats.Create(1))
	rt := freerun.New()
	node, err := cluster.Join(rt, nats.Servers("parts", url, nats.Create(1), nats.Partitions(4)))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(rt.Shutdown(context.Background()), node.Close()); err != nil {
		t.Error(err)
	}
	refused(t, nats.ErrMismatch, "has 4 partitions, and this program is to have 64", "parts", url)
	refused(t, nats.ErrMismatch, "has 1 pairs of streams, and this program is to have 2", "parts", url, nats.Partitions(4), nats.Pairs(2))
	refused(t, nats.ErrMismatch, "is on 1 servers, and this program asks for 3: give the option Create no more", "parts", url, nats.Create(3), nats.Partitions(4))
}

// needed are the subjects that the user of a program needs, as docs/operations.md has them: those
// that end with I are of each pair of streams.
var needed = struct{ publish, subscribe []string }{
	[]string{
		"NAME.in.>", "NAME.st.>", "NAME.trim.>", "NAME.all", "NAME.machine.*",
		"$JS.API.STREAM.INFO.NAME-in-I", "$JS.API.STREAM.INFO.NAME-st-I", "$JS.API.STREAM.MSG.GET.NAME-st-I",
		"$JS.API.DIRECT.GET.NAME-in-I", "$JS.API.STREAM.PURGE.NAME-in-I",
	},
	[]string{"NAME.log.*", "NAME.all", "NAME.machine.*", "_INBOX.>"},
}

// making are the subjects that a start needs beside that may make the streams.
var making = []string{"$JS.API.STREAM.CREATE.NAME-in-I", "$JS.API.STREAM.CREATE.NAME-st-I", "$JS.API.STREAM.UPDATE.NAME-in-0"}

// ofPairs returns subjects for two pairs of streams.
func ofPairs(all []string) (of []string) {
	for _, subject := range all {
		if name, is := strings.CutSuffix(subject, "-I"); is {
			of = append(of, name+"-0", name+"-1")
		} else {
			of = append(of, subject)
		}
	}
	return of
}

// user returns a user of program may who may use some subjects.
func user(name string, publish, subscribe []string) *server.User {
	may := func(subjects []string) *server.SubjectPermission {
		p := &server.SubjectPermission{}
		for _, s := range subjects {
			p.Allow = append(p.Allow, ofMay(s))
		}
		return p
	}
	return &server.User{Username: name, Password: "x", Permissions: &server.Permissions{Publish: may(publish), Subscribe: may(subscribe)}}
}

func ofMay(subject string) string { return strings.ReplaceAll(subject, "NAME", "may") }

// without returns all but one.
func without(all []string, i int) []string { return slices.Delete(slices.Clone(all), i, i+1) }

// TestPermissions holds that a user with the documented permissions can do all that a node does,
// and that one that misses any of them is told which, at the start.
func TestPermissions(t *testing.T) {
	t.Parallel()
	type lacks struct{ name, subject string }
	var users []lacks
	publish, subscribe := ofPairs(needed.publish), needed.subscribe
	url := serve(t, func(o *server.Options) {
		o.Users = []*server.User{
			user("maker", slices.Concat(ofPairs(making), publish), subscribe),
			user("node", publish, subscribe),
		}
		for i, subject := range publish {
			users = append(users, lacks{fmt.Sprint("publish", i), subject})
			o.Users = append(o.Users, user(users[len(users)-1].name, without(publish, i), subscribe))
		}
		for i, subject := range subscribe {
			users = append(users, lacks{fmt.Sprint("subscribe", i), subject})
			o.Users = append(o.Users, user(users[len(users)-1].name, publish, without(subscribe, i)))
		}
	})
	as := func(name string) nats.Option { return nats.Connection(natsgo.UserInfo(name, "x")) }
	refused(t, nats.ErrPermission, "look at the credentials", "may", url, as("nobody"))
	for _, name := range []string{"maker", "node"} {
		options := []nats.Option{as(name), nats.Partitions(4), nats.Pairs(2)}
		if name == "maker" {
			options = append(options, nats.Create(1))
		}
		n := join(t, "may", url, options...)
		if _, err := jot.Call(t.Context(), notes.At(n.rt.Context(), name), "x"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		n.leave(t)
	}
	for _, l := range users {
		refused(t, nats.ErrPermission, strings.TrimRight(ofMay(l.subject), "*>"), "may", url, as(l.name), nats.Partitions(4), nats.Pairs(2))
	}
}

// old serves as a server of an old version does, as far as a client looks.
func old(t *testing.T) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	t.Cleanup(func() {
		l.Close()
		<-ended
	})
	go func() {
		defer close(ended)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			fmt.Fprint(c, `INFO {"server_id":"old","version":"2.11.9","proto":1,"headers":true,"jetstream":true,"max_payload":1048576}`+"\r\n")
			for in := bufio.NewScanner(c); in.Scan(); {
				if strings.HasPrefix(in.Text(), "PING") {
					fmt.Fprint(c, "PONG\r\n")
				}
			}
			c.Close()
		}
	}()
	return "nats://" + l.Addr().String()
}
