package nats_test

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"
	"gopkg.in/yaml.v3"

	"github.com/freerun-go/freerun/cluster/nats"
	"github.com/freerun-go/freerun/cluster/nats/internal/freeport"
)

const config = "deploy/nats.conf"

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestDeployedServers runs three servers as deploy/nats.conf has them, but for their places: one
// user makes the streams of the bank on them, and the other one runs it, and may not make them.
func TestDeployedServers(t *testing.T) {
	for name, value := range map[string]string{"ROUTES_SECRET": "routes-x", "BANK_FIRST_PASSWORD": "first-x", "BANK_PASSWORD": "bank-x"} {
		t.Setenv(name, value)
	}
	ports := freeport.Take(t, 3)
	for i, port := range ports {
		t.Setenv(fmt.Sprint("ROUTE_", i), fmt.Sprint("nats-route://routes:routes-x@127.0.0.1:", port))
	}
	var urls []string
	for i := range 3 {
		t.Setenv("SERVER_NAME", fmt.Sprint("nats-", i))
		o, err := server.ProcessConfigFile(config)
		if err != nil {
			t.Fatal(err)
		}
		if !o.SyncAlways || len(o.Routes) != 3 || o.Cluster.Password != "routes-x" || o.StoreDir != "/data" || o.HTTPPort != 8222 {
			t.Errorf("the configuration is read as %+v", o)
		}
		o.Host, o.Port, o.HTTPPort, o.StoreDir, o.NoLog, o.NoSigs = "127.0.0.1", -1, 0, t.TempDir(), true, true
		o.Cluster.Host, o.Cluster.Port = "127.0.0.1", ports[i]
		s, err := server.NewServer(o)
		if err != nil {
			t.Fatal(err)
		}
		s.Start()
		t.Cleanup(func() {
			s.Shutdown()
			s.WaitForShutdown()
		})
		if !s.ReadyForConnections(30 * time.Second) {
			t.Fatal("the server does not start")
		}
		urls = append(urls, s.ClientURL())
	}
	as := func(name, password string) nats.Option { return nats.Connection(natsgo.UserInfo(name, password)) }
	url, four := strings.Join(urls, ","), nats.Partitions(4)
	refused(t, nats.ErrPermission, "bank-in-0", "bank", url, four, nats.Create(3), as("bank", "bank-x"))
	for _, option := range [][]nats.Option{{as("bank-first", "first-x"), nats.Create(3)}, {as("bank", "bank-x")}} {
		n := join(t, "bank", url, append(option, four)...)
		if _, err := jot.Call(t.Context(), notes.At(n.rt.Context(), "x"), "line"); err != nil {
			t.Error(err)
		}
		n.leave(t)
	}
}

// TestDeployFiles holds that the files of compose and Kubernetes can be read, give the servers all
// variables of their configuration, and start the bank with flags that it has.
func TestDeployFiles(t *testing.T) {
	variables := regexp.MustCompile(`[:[,] *\$([A-Z_0-9]+)`).FindAllStringSubmatch(readFile(t, config), -1)
	if len(variables) < 7 {
		t.Fatalf("%s has the variables %q", config, variables)
	}
	var compose struct {
		Services map[string]struct {
			Image, Restart string
			Command        []string
			Environment    map[string]string
			Volumes        []string
		}
	}
	if err := yaml.Unmarshal([]byte(readFile(t, "deploy/compose.yaml")), &compose); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		s := compose.Services[fmt.Sprint("nats-", i)]
		for _, v := range variables {
			if s.Environment[v[1]] == "" {
				t.Errorf("compose.yaml: server %d has no %s", i, v[1])
			}
		}
		if len(s.Volumes) != 2 || s.Environment["SERVER_NAME"] != fmt.Sprint("nats-", i) {
			t.Errorf("compose.yaml: server %d: %+v", i, s)
		}
	}
	flags(t, "compose.yaml", compose.Services["bank"].Command)
	flags(t, "compose.yaml", compose.Services["first"].Command)
	for _, variable := range ofSecret {
		if !strings.Contains(readFile(t, "deploy/kubernetes/bank.yaml"), "--from-literal="+variable+"=") {
			t.Errorf("bank.yaml does not say that the secret has %s", variable)
		}
	}
	for _, name := range []string{"bank.yaml", "first.yaml"} {
		for _, o := range objects(t, "deploy/kubernetes/"+name) {
			for _, c := range o.Spec.Template.Spec.Containers {
				has := slices.Clone(ofSecret)
				if len(c.EnvFrom) != 1 {
					t.Errorf("%s: %s has no secret", name, c.Name)
				}
				for _, e := range c.Env {
					has = append(has, e.Name)
				}
				needs := regexp.MustCompile(`\$\(([A-Z_0-9]+)\)`).FindAllStringSubmatch(fmt.Sprint(c.Args, c.Env), -1)
				if c.Name == "nats" {
					needs = append(needs, variables...)
				} else {
					flags(t, name, c.Args)
				}
				for _, v := range needs {
					if !slices.Contains(has, v[1]) {
						t.Errorf("%s: %s has no %s", name, c.Name, v[1])
					}
				}
			}
		}
	}
}

// ofSecret are the variables of the secret that the comment of bank.yaml has made.
var ofSecret = []string{"ROUTES_SECRET", "BANK_FIRST_PASSWORD", "BANK_PASSWORD"}

// object is what the tests look at of an object of Kubernetes.
type object struct {
	Kind string
	Spec struct {
		Template struct {
			Spec struct {
				Containers []struct {
					Name    string
					Args    []string
					EnvFrom []any `yaml:"envFrom"`
					Env     []struct{ Name, Value string }
				}
			}
		}
	}
}

func objects(t *testing.T, name string) (all []object) {
	t.Helper()
	for d := yaml.NewDecoder(strings.NewReader(readFile(t, name))); ; {
		var o object
		switch err := d.Decode(&o); {
		case err == io.EOF:
			if len(all) == 0 {
				t.Errorf("%s has nothing", name)
			}
			return all
		case err != nil:
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, o)
	}
}

// flags holds that the bank has the flags of a command.
func flags(t *testing.T, where string, args []string) {
	t.Helper()
	bank, found := readFile(t, "examples/bank/main.go"), 0
	for _, arg := range args {
		if name, is := strings.CutPrefix(arg, "-"); is {
			found++
			if !strings.Contains(bank, fmt.Sprintf("(%q, ", name)) {
				t.Errorf("%s: the bank has no flag %s", where, arg)
			}
		}
	}
	if found == 0 {
		t.Errorf("%s: a bank without flags: %q", where, args)
	}
}
