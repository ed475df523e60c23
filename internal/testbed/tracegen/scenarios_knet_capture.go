package tracegen

import (
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/knetpeer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
)

// knetMidstream starts in the middle.
func knetMidstream() KnetScenario {
	s := Setup{Paths: calm()}
	s.Tap.Start = 1200 * time.Millisecond
	return KnetScenario{Name: "midstream-reference", Clause: "contract: recognition",
		Proves: "a connection is recognised without its start", Expect: "not complete; roles inferred at best",
		Setup: s, A: knetpeer.Library(), B: knetpeer.Library(),
		Play: func(t *KnetTrace) {
			t.worsen(lossy(0.02))
			t.calls(arena(90), arena(90), t.farewell())
		}}
}

// knetPageMidstream starts and ends in the middle.
func knetPageMidstream() KnetScenario {
	s := Setup{Paths: lossy(0.02)}
	s.Tap.Start, s.Tap.Stop = 2*time.Second, 12*time.Second
	return KnetScenario{Name: "midstream-page", Clause: "contract: recognition",
		Proves: "pings, acknowledgements and PacketIDs are enough", Expect: "not complete; state unknown, for the Disconnect is not captured",
		Setup: s, A: knetpeer.Page(), B: knetpeer.Page(),
		Play: func(t *KnetTrace) { t.calls(unchained(130), unchained(130), t.farewell()) }}
}

// knetOneDirection hears the client alone.
func knetOneDirection() KnetScenario {
	s := Setup{Paths: calm(), HideState: true}
	s.Tap.Unseen = [2]bool{false, true}
	return KnetScenario{Name: "one-direction-reference", Clause: "contract: recognition",
		Proves: "half a conversation is counted and not judged", Expect: "nothing of the server; no finding",
		Setup: s, A: knetpeer.Library(), B: knetpeer.Library(),
		Play: func(t *KnetTrace) {
			t.worsen(lossy(0.02))
			t.calls(arena(70), arena(70), t.farewell())
		}}
}

// knetPageOneDirection hears the server alone.
func knetPageOneDirection() KnetScenario {
	s := Setup{Paths: lossy(0.02), HideState: true}
	s.Tap.Unseen = [2]bool{true, false}
	return KnetScenario{Name: "one-direction-page", Clause: "contract: recognition",
		Proves: "half a conversation of the page", Expect: "nothing of the client; no finding",
		Setup: s, A: knetpeer.Page(), B: knetpeer.Page(),
		Play: func(t *KnetTrace) { t.calls(unchained(60), unchained(60), t.farewell()) }}
}

// knetCaptureLoss misses 5% of what passes.
func knetCaptureLoss() KnetScenario {
	s := Setup{Paths: calm()}
	s.Tap.Loss = 0.05
	return KnetScenario{Name: "capture-loss-reference", Clause: "contract: lost.not_captured",
		Proves: "what was acknowledged and never captured was missed by the capture", Expect: "no finding against either end",
		Setup: s, A: knetpeer.Library(), B: knetpeer.Library(),
		Play: func(t *KnetTrace) {
			t.worsen(lossy(0.01))
			t.calls(arena(80), arena(80), t.farewell())
		}}
}

// knetPageCaptureLoss misses 5% of the page's datagrams.
func knetPageCaptureLoss() KnetScenario {
	s := Setup{Paths: lossy(0.01)}
	s.Tap.Loss = 0.05
	return KnetScenario{Name: "capture-loss-page", Clause: "contract: lost.not_captured",
		Proves: "a dependency that the capture missed holds nothing back", Expect: "no finding against either end",
		Setup: s, A: knetpeer.Page(), B: knetpeer.Page(),
		Play: func(t *KnetTrace) { t.calls(chained(70), chained(70), t.farewell()) }}
}

// knetEarlyStop ends while both speak.
func knetEarlyStop() KnetScenario {
	s := Setup{Paths: calm()}
	s.Tap.Stop = 2500 * time.Millisecond
	return KnetScenario{Name: "early-stop-reference", Clause: "contract: state",
		Proves: "silence at the end of a capture is no fault", Expect: "established; what is on the way at the end is not lost",
		Setup: s, A: knetpeer.Library(), B: knetpeer.Library(),
		Play: func(t *KnetTrace) { t.calls(arena(150), arena(150), t.farewell()) }}
}

// knetMalformed has endpoints that send what is not kNet.
func knetMalformed() KnetScenario {
	return KnetScenario{Name: "malformed-reference", Clause: "kNet 715850d UDPMessageConnection.cpp 720-905",
		Proves: "malformed datagrams are frames of the connection and nothing more",
		Expect: "seven malformed; the rest as if they were not there",
		Setup:  Setup{Paths: calm()}, A: knetpeer.Library(), B: knetpeer.Library(),
		Play: func(t *KnetTrace) {
			t.calls(arena(45), arena(45), t.farewell())
			t.garbage(500*time.Millisecond, false, [][]byte{
				{0x41},                               // no PacketID
				{0x05, 0, 0, 0x09},                   // half a message header
				{0x45, 0, 0, 0x01},                   // half a base
				{0x06, 0, 0, 0x20, 0, 1, 2},          // longer than the datagram
				{0x07, 0, 0, 0, 0},                   // no content
				{0x08, 0, 0, 0x04, 0, 0x04, 1, 2, 3}, // a PacketAck of 3 bytes
				{0x49, 0, 0, 0x01, 0, 0x02, 0xd0, 0, 1, 1, 99, 0}, // a transfer of one fragment
			})
		}}
}

// knetPageMalformed has endpoints that send what is not the page's.
func knetPageMalformed() KnetScenario {
	return KnetScenario{Name: "malformed-page", Clause: "kNet page, Datagram Byte Format",
		Proves: "malformed datagrams of the page", Expect: "six malformed; the rest as if they were not there",
		Setup: Setup{Paths: calm()}, A: knetpeer.Page(), B: knetpeer.Page(),
		Play: func(t *KnetTrace) {
			t.calls(council(40), council(40), t.farewell())
			t.garbage(900*time.Millisecond, false, [][]byte{
				{0x41, 0},                            // no PacketID
				{0x05, 0, 0, 0x09},                   // half a message header
				{0x06, 0, 0x80, 9, 1, 2, 3},          // nine dependencies in three bytes
				{0x07, 0, 0, 0xc8, 0, 20, 1, 2},      // longer than the datagram
				{0x08, 0, 0, 0x04, 0, 0x03, 1, 2, 3}, // a PacketAck of 3 bytes
				{0x09, 0, 0x40, 0x01, 0, 0xff},       // MessageID longer than the content
			})
		}}
}

// knetThirdParty has someone else throw garbage at both ends.
func knetThirdParty() KnetScenario {
	return KnetScenario{Name: "garbage-reference", Clause: "contract: frames",
		Proves: "garbage in an endpoint's name is of the connection and changes nothing",
		Expect: "eight malformed, three without a message; the rest as if they were not there",
		Setup:  Setup{Paths: calm()}, A: knetpeer.Library(), B: knetpeer.Library(),
		Play: func(t *KnetTrace) {
			t.calls(arena(45), arena(45), t.farewell())
			var all [][]byte
			for i := range 8 {
				b := t.text(5 + 17*i)
				b[3], b[4] = 0xff, 0x07 // a message of 2047 bytes
				b[0] &= 0x3f
				all = append(all, b)
			}
			t.garbage(400*time.Millisecond, true, all)
			for i, b := range [][]byte{{0x07, 0xd4, 0x31}, {0x9e, 0x02, 0xc7}, {0x33, 0x33, 0x33}} {
				t.At(time.Duration(650+80*i)*time.Millisecond, func() {
					t.raw(i%2, b, true, func(n *note.Note) { n.Forged = "empty" })
				})
			}
		}}
}
