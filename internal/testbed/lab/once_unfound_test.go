package lab

import (
	"slices"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// onceUnfound are faults that nobody found once, in part or at all: the mutants that show what a
// capture proves of them, and connections in which it proves too little, with the guard.
var onceUnfound = []struct {
	fault   string
	mutants []string // rule and name
	left    []leftOpen
}{
	{"resends of acknowledged packets that are never acknowledged again", []string{
		"HZ-REL-ACK-DUP acknowledges first copies alone", "HZ-REL-ACK-DUP acknowledges a packet once, and never again", "KN-RD-ACKED acknowledges no copy",
		"DP8-3.1.5.2.1-OOR-SACK answers repetitions late",
	}, nil},
	{"resends long after the acknowledgement passed", []string{
		"HZ-REL-NORESEND sends all again long after it was acknowledged", "KN-RD-NORESEND sends again what was acknowledged", "DP8-3.1.5.2.2-ACKEDRETRY retries an acknowledged number",
	}, []leftOpen{
		{"KN-RD-NORESEND", conform.GuardKnew, "knet:spec", knetExchange(func(t *knetTalk) { // one alone may have got lost after the capture point
			t.say(0, true, knetApp("acknowledged"))
			again := t.steps[len(t.steps)-1].Payload
			t.acks(1)
			t.chat(2)
			t.raw(0, false, again)
			t.steps[len(t.steps)-1].After = 580 * time.Millisecond
		})},
		{"HZ-REL-NORESEND", conform.GuardKnew, "hazel:spec", resendsAcked(12)},
	}},
	{"one id with two contents", []string{
		"KN-DG-ID-UNIQUE sends other content under an old PacketID", "KN-DG-ID-UNIQUE sends a reliable message again with other content",
		"HZ-REL-RESEND-SAME sends other bytes", "DP8-3.1.5.2.1-REUSE retries other content", "DP4-2.2.2-SEQ-UNIQUE uses a sequence for other data",
	}, nil},
	{"PacketIDs counted by two all along", []string{"KN-DG-ID-INC counts by two"}, nil}, // TestKnetStride
	{"no acknowledgements at all", []string{"KN-RD-ACKED acknowledges nothing", "HZ-REL-ACK never acknowledges one"}, []leftOpen{
		{"KN-RD-ACKED", conform.GuardVant, "knet:spec", acksNothing()}, // no ping shows that anything arrives
		{"HZ-REL-ACK", conform.GuardVant, "hazel:spec", unheardHazel()},
	}},
	{"acknowledgements 500 ms late where the text allows less", []string{"KN-CV-ACKDELAY acknowledges after 500 ms", "DP8-3.1.2.2-ACKDELAY acknowledges late", "DP8-2.2.1.5-POLLACK answers POLL late"},
		[]leftOpen{{"KN-CV-ACKDELAY", conform.GuardVant, "knet:reference", lateTalk()}}}, // no ping shows how long the path takes
	{"PingReply 2 s late", []string{"KN-RT-PONG replies after two seconds"}, []leftOpen{{"KN-RT-PONG", conform.GuardSample, "knet:reference", libExchange(func(t *libTalk) {
		t.pings[0]++
		t.say(0, false, libControl(knet.PingRequest, t.pings[0]))
		t.say(0, false, t.told(0, "sent behind it"))
		t.acks(1)
		t.say(1, false, libControl(knet.PingReply, t.pings[0]))
		t.steps[len(t.steps)-1].After = 2 * time.Second
	})}}},
	{"TransferID reused too early", []string{"KN-FR-ID-REUSE uses an id again before all is acknowledged", "KN-FR-ID-REUSE uses an id again, and then sends the first transfer again"}, nil},
	{"FragmentNumber past the count", []string{"KN-MB-FRAGNUM goes on behind the last fragment"}, nil},
	{"no ConnectAck", nil, []leftOpen{{"KN-SM-CONFIRM", conform.GuardKnew, "knet:spec", silentClient()}}}, // any message serves; it may not have received the ConnectSynAck
	{"no keepalives", []string{"KN-RT-KEEPALIVE is silent for 40 s", "KN-CV-PINGINT never pings", "HZ-KA-SENT falls silent once", "DP8-3.1.2.6-KEEPALIVE sends no KeepAlive"}, nil},
	{"six bursts of 60 reliable messages", []string{"DP4-2.2.2-MSGID-WINDOW sends six times 60 messages to who answered little"}, nil},
	{"the window broken once", []string{"DP4-2.2.2-MSGID-WINDOW sends 25 messages at once"}, nil},
	{"RETRY never set", []string{"DP8-2.2.2-RETRYBIT sends again without RETRY", "DP8-2.2.2-RETRYBIT soon sends again without RETRY, acknowledging more",
		"DP8-3.1.5.2.1-INC sends a number it passed over, soon, and acknowledges more by it"}, []leftOpen{
		{"DP8-2.2.2-RETRYBIT", conform.GuardDup, "", chatting().data(connector).wait(40 * ms).again(retry{by: connector, back: 1, change: unmark}).says(report{by: listener}).chat(3).steps}, // a network may have doubled it
	}},
	{"stale headers in retries", []string{"DP8-3.1.6.5-HDRLATEST retries with an old bNRcv", "DP8-3.1.6.5-HDRLATEST never renews the header of retries, soon sent",
		"DP8-3.1.6.5-HDRLATEST never renews the header of retries, with long pauses"}, []leftOpen{
		{"DP8-3.1.6.5-HDRLATEST", conform.GuardReord, "", soonRetries(2, 70*ms, 100*ms, true).steps}, // what was sent before may have overtaken them
		{"DP8-3.1.6.5-HDRLATEST", conform.GuardReord, "", soonRetries(5, 10*ms, 100*ms, true).steps}, // the sooner, the likelier
		{"DP8-3.1.6.5-HDRLATEST", conform.GuardReord, "", unseenFirst(4).steps},                      // the capture misses their first transmissions
	}},
	{"masks off by one", []string{
		"DP8-3.1.5.2.3-BASE bit i is bNRcv + i", "DP8-3.1.5.2.3-BASE bit i of its masks is bNRcv + i in dp8/fast-signed-lossy", "DP8-3.1.5.2.4-BASE counts from the next number in a retry",
		"DP8-3.1.5.2.3-BASE names the next number, which is not sent yet",
	}, []leftOpen{
		{"DP8-3.1.5.2.3-BASE", conform.GuardSample, "", shifted(8, 1).chat(2).steps}, // two losses in a row look the same
	}},
	{"acknowledgements one ahead", []string{"DP4-2.2.4-SENT acknowledges the next packet, one ahead all along", "DP4-2.2.4-SENT acknowledges a packet 45 ms before it is sent", "HZ-REL-ACK-KNOWN acknowledges the next ID, one ahead all along",
		"KN-RD-ACK-KNOWN acknowledges ten ahead", "DP8-3.1.5.2.2-GAPACK acknowledges the next number before it is sent"}, []leftOpen{
		{"KN-RD-NORESEND", conform.GuardKnew, "knet:reference", libExchange(func(t *libTalk) { // its sender ignores what names nothing it sent
			t.say(1, false, knet.Acknowledge(knet.Reference, knet.IDsFromOne, knet.Ack{PacketID: t.next[0]}))
			m := t.told(0, "acknowledged before it was sent")
			t.say(0, false, m)
			t.owed[1] = nil
			t.chat(1)
			t.pause(2 * time.Second)
			t.say(0, false, m)
			t.acks(1)
		})},
	}},
}

// A leftOpen is a connection in which a rule looks broken and is not proven to be.
type leftOpen struct {
	rule  string
	guard conform.Guard
	as    string
	steps []Step
}

// TestFaultsOnceUnfound: of each of these faults the capture proves what it can, and the rest is
// inconclusive.
func TestFaultsOnceUnfound(t *testing.T) {
	all := map[string]Mutant{}
	for _, m := range Mutants() {
		if !m.Near {
			all[m.Rule+" "+m.Name] = m
		}
	}
	for _, x := range onceUnfound {
		t.Run(x.fault, func(t *testing.T) {
			for _, name := range x.mutants {
				m, ok := all[name]
				if !ok {
					t.Errorf("no mutant %q", name)
					continue
				}
				r, err := m.Run()
				must(t, err)
				if wrong := m.Verdict(r); wrong != "" {
					t.Errorf("%s: %s", name, wrong)
				}
			}
			for _, l := range x.left {
				m := Mutant{Rule: l.rule, As: l.as, Steps: l.steps}
				r, err := m.Run()
				must(t, err)
				if is := func(f session.Finding) bool { return f.Rule.ID == l.rule && !f.Failed() && f.Guard == l.guard }; !slices.ContainsFunc(r.Findings, is) || r.Tallies[l.rule].Fail > 0 {
					t.Errorf("%s is not left open for %v: %+v", l.rule, l.guard, r.Tallies[l.rule])
				}
			}
		})
	}
}

// unseenFirst has so many retries with an old header, of what was lost before the capture.
func unseenFirst(n int) *talk {
	t := chatting()
	return t.times(n, func(int) {
		t.lose(connector, 1).data(connector).send(listener, sacks(2, 1)).sack(connector).wait(70 * ms)
		t.again(retry{by: connector, back: 2, change: func(d *dp8.DFrame) { d.NRcv-- }}).wait(40 * ms).says(report{by: listener}).wait(100 * ms)
	})
}

// acksNothing is a server of the page that talks and acknowledges nothing, whom nobody pings.
func acksNothing() []Step {
	t := &knetTalk{}
	t.say(0, false, knet.Control(knet.ConnectSyn, []byte("me")))
	t.say(1, false, knet.Control(knet.ConnectSynAck, nil))
	for range 20 {
		t.say(0, true, knetApp("unheard"))
		t.owed[1] = nil
		t.say(1, false, knetApp("talks"))
	}
	t.pause(2 * time.Second)
	t.say(1, false, knetApp("talks"))
	t.close()
	return t.steps
}

// lateTalk is a server of the library that acknowledges after 500 ms, whom nobody pings.
func lateTalk() []Step {
	t := &libTalk{next: [2]uint32{1, 1}}
	t.steps = append(t.steps, Step{Payload: make([]byte, 8)})
	for range 24 {
		t.say(0, false, t.told(0, "when is it acknowledged?"))
		t.acks(1)
		t.steps[len(t.steps)-1].After = 500 * time.Millisecond
	}
	return t.steps
}

// silentClient is a client of the page that says nothing after the ConnectSynAck.
func silentClient() []Step {
	t := &knetTalk{}
	t.say(0, false, knet.Control(knet.ConnectSyn, []byte("me")))
	for range 8 {
		t.say(1, false, knet.Control(knet.ConnectSynAck, nil))
		t.pause(2 * time.Second)
	}
	return t.steps
}

// unheardHazel is a server that acknowledges nothing and speaks.
func unheardHazel() []Step {
	t := talkHazel(hazel.Spec)
	for range 3 {
		id := t.next[0]
		t.next[0]++
		for i := range 4 {
			t.pause(170*ms<<i).reliable(0, id, "unheard")
		}
		t.send(1, hazelPace, &hazel.Frame{Type: hazel.None, Data: []byte("talks")})
	}
	return t.pause(4*second).send(1, hazelPace, &hazel.Frame{Type: hazel.None, Data: []byte("talks")}).bye()
}
