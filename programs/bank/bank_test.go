package bank

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/programtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestVariants(t *testing.T) {
	for _, v := range []programs.Values{
		{programs.Size: 1, paramAccounts: 2, paramWork: 0, paramClients: 1},
		{programs.Size: 5000, paramAccounts: 2, paramWork: 0, paramClients: 3},
		{programs.Size: 5000, paramAccounts: 100, paramWork: 100, paramClients: 8},
	} {
		for name, r := range programtest.Run(t, Program, v) {
			if r.Operations != uint64(v[programs.Size]) {
				t.Errorf("%s: %d operations, want %d", name, r.Operations, v[programs.Size])
			}
		}
	}
}

// TestClients: clients make the right number of transfers, with all accounts, and never from an
// account to itself.
func TestClients(t *testing.T) {
	const accounts, transfers = 5, 1003
	n, from, to := 0, [accounts]int{}, [accounts]int{}
	for _, c := range newClients(4, accounts, transfers) {
		for x, more := c.next(); more; x, more = c.next() {
			if x.from == x.to || x.amount < 0 {
				t.Fatalf("transfer %+v", x)
			}
			n++
			from[x.from]++
			to[x.to]++
		}
	}
	if n != transfers {
		t.Errorf("%d transfers, want %d", n, transfers)
	}
	for i := range accounts {
		if from[i] < transfers/accounts/2 || to[i] < transfers/accounts/2 {
			t.Errorf("account %d is in %d and %d of %d transfers", i, from[i], to[i], n)
		}
	}
}

// TestAuditFindsFaults simulates a bank that does transfers in halves.
func TestAuditFindsFaults(t *testing.T) {
	a, b := &account{balance: opening}, &account{balance: opening}
	move(a, b, 70, 10)
	move(b, a, 5000, 0) // more than the balance
	sum, err := audit([]*account{a, b})
	if want := checksum(2*opening, 2); err != nil || sum != want {
		t.Errorf("%q, %v after two transfers, want %q", sum, err, want)
	}
	for name, broken := range map[string]*account{
		"overdrawn":  {balance: -1},
		"half":       {balance: opening, out: 1},
		"half again": {balance: opening, in: 1},
	} {
		if _, err := audit([]*account{broken}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if sum, _ := audit([]*account{{balance: 999}}); sum == checksum(opening, 0) {
		t.Error("lost money goes unnoticed")
	}
}

func TestRounds(t *testing.T) {
	if rounds(0) != 0 {
		t.Error("no work has rounds")
	}
	if rounds(1_000_000) <= 0 {
		t.Error("work has no rounds")
	}
	if spin(3) == spin(4) {
		t.Error("a round does nothing")
	}
	if burn(0) != 0 || burn(1000) != 0 {
		t.Error("the work adds something")
	}
}
