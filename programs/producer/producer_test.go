package producer

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/programtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestVariants(t *testing.T) {
	for _, v := range []programs.Values{
		{programs.Size: 1, paramPairs: 1, paramBuffer: 1},
		{programs.Size: 3000, paramPairs: 1, paramBuffer: 10},
		{programs.Size: 3000, paramPairs: 7, paramBuffer: 1},
		{programs.Size: 3000, paramPairs: 64, paramBuffer: 10},
		{programs.Size: 10, paramPairs: 25, paramBuffer: 3},
	} {
		for name, r := range programtest.Run(t, Program, v) {
			if r.Operations != uint64(v[programs.Size]) {
				t.Errorf("%s: %d messages, want %d", name, r.Operations, v[programs.Size])
			}
		}
	}
}

// TestChecksumSeesWhatIsLostOrDoubled consumes all messages but one, all and one again, and all
// with one in the place of another.
func TestChecksumSeesWhatIsLostOrDoubled(t *testing.T) {
	m := newMarket(programs.Values{programs.Size: 50, paramPairs: 3, paramBuffer: 1})
	for i := range m.pairs {
		for message := m.pairs[i].from; message < m.pairs[i].to; message++ {
			m.pairs[(i+1)%3].got.consume(message)
		}
	}
	if m.checksum() != m.due() {
		t.Fatalf("checksum %s, due %s", m.checksum(), m.due())
	}
	good := m.pairs[0].got
	for name, wrong := range map[string]tally{
		"lost":    {good.messages - 1, good.sum - 5, good.squares - 25},
		"doubled": {good.messages + 1, good.sum + 5, good.squares + 25},
		"mixed":   {good.messages, good.sum - 5 - 9 + 7 + 7, good.squares - 25 - 81 + 49 + 49},
	} {
		m.pairs[0].got = wrong
		if m.checksum() == m.due() {
			t.Errorf("the checksum does not show a message that is %s", name)
		}
	}
}
