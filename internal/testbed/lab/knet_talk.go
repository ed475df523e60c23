package lab

import (
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
)

// A knetTalk is a connection of the page made by hand: side 0 is the client.
type knetTalk struct {
	steps []Step
	next  [2]uint32 // PacketIDs
	owed  [2][]uint32
	pings [2]uint8
}

// A knetPart adds to a connection.
type knetPart func(t *knetTalk)

// knetExchange makes a connection with a beginning and an end.
func knetExchange(parts ...knetPart) []Step {
	t := &knetTalk{}
	t.open()
	t.chat(4)
	for _, p := range parts {
		p(t)
	}
	t.chat(8)
	t.close()
	return t.steps
}

// knetTick is the time between two datagrams.
const knetTick = 40*time.Millisecond + 37*time.Microsecond

// raw adds bytes.
func (t *knetTalk) raw(side dissect.Dir, fault bool, payload []byte) {
	t.steps = append(t.steps, Step{From: side, After: knetTick, Payload: payload, Fault: fault})
}

// say adds a datagram under the next PacketID.
func (t *knetTalk) say(side dissect.Dir, reliable bool, messages ...knet.Message) uint32 {
	return t.put(side, false, reliable, nil, messages...)
}

// wrong adds one that breaks a rule.
func (t *knetTalk) wrong(side dissect.Dir, reliable bool, messages ...knet.Message) uint32 {
	return t.put(side, true, reliable, nil, messages...)
}

func (t *knetTalk) put(side dissect.Dir, fault, reliable bool, on []knet.Dependency, messages ...knet.Message) uint32 {
	id := t.next[side]
	t.next[side]++
	if reliable {
		t.owed[side.Other()] = append(t.owed[side.Other()], id)
	}
	b := page(id, reliable, messages...)
	if on != nil {
		b = pageOn(id, reliable, on, messages...)
	}
	t.raw(side, fault, b)
	return id
}

// acks acknowledges all that a side owes.
func (t *knetTalk) acks(side dissect.Dir) {
	if len(t.owed[side]) == 0 {
		return
	}
	a := knet.Ack{PacketID: t.owed[side][0]}
	for _, id := range t.owed[side][1:] {
		a.Bits |= 1 << (id - a.PacketID - 1)
	}
	t.owed[side] = nil
	t.say(side, false, knet.Acknowledge(knet.Spec, knet.IDsFromZero, a))
}

func (t *knetTalk) open() {
	t.say(0, false, knet.Control(knet.ConnectSyn, []byte("me")))
	t.say(1, false, knet.Control(knet.ConnectSynAck, nil))
	t.say(0, true, knet.Control(knet.ConnectAck, nil))
	t.acks(1)
}

// chat is some data both ways, acknowledged, and a ping.
func (t *knetTalk) chat(times int) {
	for i := range times {
		t.say(0, true, knetApp("from the client"))
		t.acks(1)
		t.say(1, true, knetApp("from the server"))
		t.acks(0)
		if i%4 == 1 {
			t.ping(dissect.Dir(i) / 4 % 2)
		}
	}
}

func (t *knetTalk) ping(side dissect.Dir) {
	t.pings[side]++
	t.say(side, false, pagePing(knet.PingRequest, t.pings[side]))
	t.say(side.Other(), false, pagePing(knet.PingReply, t.pings[side]))
}

// end says Disconnect or DisconnectAck.
func (t *knetTalk) end(side dissect.Dir, k knet.Kind) {
	t.put(side, false, false, []knet.Dependency{}, knet.Control(k, nil))
}

func (t *knetTalk) close() {
	t.end(0, knet.Disconnect)
	t.end(1, knet.DisconnectAck)
}

// pause lets time pass before the latest datagram.
func (t *knetTalk) pause(d time.Duration) { t.steps[len(t.steps)-1].After += d }
