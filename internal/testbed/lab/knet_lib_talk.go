package lab

import (
	"fmt"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
)

// A libTalk is a connection of the library made by hand: side 0 is the client.
type libTalk struct {
	steps  []Step
	next   [2]uint32 // PacketIDs
	number [2]uint32 // of reliable messages
	owed   [2][]uint32
	pings  [2]uint8
	mute   [2]bool // the side acknowledges nothing
}

// libExchange makes a connection with a beginning and an end.
func libExchange(parts ...func(t *libTalk)) []Step {
	t := &libTalk{next: [2]uint32{1, 1}}
	t.steps = append(t.steps, Step{Payload: make([]byte, 8)})
	t.say(1, false, libControl(knet.PingRequest, 1), libControl(knet.PingRequest, 2))
	t.say(0, false, libControl(knet.PingReply, 1), libControl(knet.PingReply, 2))
	t.pings[1] = 2
	t.chat(6)
	for _, p := range parts {
		p(t)
	}
	t.chat(12)
	return t.steps
}

// say adds a datagram; reliable messages have their Number.
func (t *libTalk) say(side dissect.Dir, fault bool, messages ...knet.Message) uint32 {
	id := t.next[side]
	t.next[side]++
	d := knet.Datagram{Dialect: knet.Reference, PacketID: id, Messages: messages}
	for _, m := range messages {
		if m.IsReliable() && (!d.Reliable || m.Number < d.Base.Value) {
			d.Reliable, d.Base = true, knet.Num(m.Number)
		}
	}
	for i := range messages {
		if m := &messages[i]; m.IsReliable() {
			m.Delta = knet.Num(m.Number - d.Base.Value)
		}
	}
	if d.Reliable {
		t.owed[side.Other()] = append(t.owed[side.Other()], id)
	}
	t.steps = append(t.steps, Step{From: side, After: knetTick, Payload: d.Append(nil), Fault: fault})
	return id
}

// told is the next reliable message of a side.
func (t *libTalk) told(side dissect.Dir, text string) knet.Message {
	m := knetFlags(knetApp(text), knet.MessageReliable)
	m.Number = t.number[side]
	t.number[side]++
	return m
}

// transfer is a transfer of the client of so many fragments, with these of them.
func (t *libTalk) transfer(id uint8, count uint32, texts ...string) (all []knet.Message) {
	for i, text := range texts {
		m := knetStart(id, count, text)
		if i > 0 {
			m = knetLater(id, uint32(i), text)
		}
		m.Bits, m.Number = m.Bits|knet.MessageReliable, t.number[0]
		t.number[0]++
		all = append(all, m)
	}
	return all
}

// owes gives the PacketAcks that a side owes.
func (t *libTalk) owes(side dissect.Dir) (all []knet.Message) {
	for _, id := range t.owed[side] {
		all = append(all, knet.Acknowledge(knet.Reference, knet.IDsFromOne, knet.Ack{PacketID: id}))
	}
	t.owed[side] = nil
	if t.mute[side] {
		return nil
	}
	return all
}

// acks acknowledges all that a side owes.
func (t *libTalk) acks(side dissect.Dir) {
	if all := t.owes(side); len(all) > 0 {
		t.say(side, false, all...)
	}
}

// chat is data both ways, acknowledged, and a ping of each side.
func (t *libTalk) chat(times int) {
	for i := range times {
		for side := range dissect.Dirs {
			t.say(side, false, t.told(side, fmt.Sprintf("%d says %d", side, t.number[side])))
			t.acks(side.Other())
		}
		if i%3 == 2 {
			t.ping(dissect.Dir(i) / 3 % 2)
		}
	}
}

func (t *libTalk) ping(side dissect.Dir) {
	t.pings[side]++
	t.say(side, false, libControl(knet.PingRequest, t.pings[side]))
	t.say(side.Other(), false, libControl(knet.PingReply, t.pings[side]))
}

// pause lets time pass before the latest datagram.
func (t *libTalk) pause(d time.Duration) { t.steps[len(t.steps)-1].After += d }

// lively chats n times, with two seconds after each.
func (t *libTalk) lively(n int) {
	for range n {
		t.chat(3)
		t.pause(2 * time.Second)
	}
}
