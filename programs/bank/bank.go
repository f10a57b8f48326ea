package bank

import (
	"fmt"

	"github.com/freerun-go/freerun/programs"
)

// Names of the parameters.
const (
	paramAccounts = "accounts"
	paramWork     = "work"
	paramClients  = "clients"
)

// opening is the initial balance of an account.
const opening = 1000

// Program is the program with all its variants.
var Program = &programs.Program{
	Name:      "bank",
	Doc:       "transfers between two accounts of a bank",
	Source:    "isolates operations on two units at once",
	Operation: "transfer",
	Params: []programs.Param{
		{Name: programs.Size, Doc: "transfers in all", Default: 500_000, Quick: 20_000, Min: 10, Max: 1_000_000_000},
		{Name: paramAccounts, Doc: "accounts", Default: 1000, Quick: 1000, Min: 2, Max: 10_000_000},
		{Name: paramWork, Doc: "ns of work in a transfer, with both accounts held", Default: 1000, Quick: 1000, Min: 0, Max: 1_000_000},
		{Name: paramClients, Doc: "clients that make transfers", Default: 8, Quick: 8, Min: 1, Max: 100_000},
	},
	Points: []map[string]int{
		{paramAccounts: 8, paramWork: 0},
		{paramAccounts: 1000, paramWork: 0},
		{paramAccounts: 8, paramWork: 1000},
		{paramAccounts: 1000, paramWork: 1000},
	},
	Variants: []programs.Variant{
		{Name: "units", Kind: programs.Freerun, Doc: "an operation on both accounts, whatever the order", Simulable: true, Run: runUnits},
		{Name: "mutex", Kind: programs.PlainGo, Doc: "goroutines that lock both accounts, in the order of their numbers", Run: runMutex},
	},
	Expected: func(v programs.Values) string {
		return checksum(int64(v.Get(paramAccounts))*opening, int64(v.Get(programs.Size)))
	},
}

// checksum returns the expected checksum: the money in the bank and the number of transfers.
func checksum(money, transfers int64) string {
	return fmt.Sprintf("%d in the bank, %d transfers", money, transfers)
}

// account is the state of an account. Nothing in it is synchronised.
type account struct {
	balance int64
	in, out int64 // transfers
}

// move transfers the amount, or the balance if that is less, and works for so many rounds in
// between. The caller has exclusive access to both accounts.
func move(from, to *account, amount int64, rounds int) {
	amount = min(amount, from.balance)
	from.balance -= amount
	from.out++
	amount += burn(rounds) // the money is in neither account now
	to.balance += amount
	to.in++
}

// audit returns the checksum of all accounts.
func audit(accounts []*account) (string, error) {
	var money, in, out int64
	for i, a := range accounts {
		if a.balance < 0 {
			return "", fmt.Errorf("account %d is overdrawn by %d", i, -a.balance)
		}
		money, in, out = money+a.balance, in+a.in, out+a.out
	}
	if in != out {
		return "", fmt.Errorf("%d transfers left an account, and %d came to one", out, in)
	}
	return checksum(money, in), nil
}
