package lab

import (
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
	"github.com/dpdissect/dpdissect/knet"
)

// A knetCase is a datagram of kNet that breaks a rule by itself, and one that nearly
// does. Each is put into a session that keeps all rules.
type knetCase struct {
	rule, name string
	also       []string
	lib        bool // of Reference
	fault      func(id uint32) []byte
	near       func(id uint32) []byte // nil: the session itself is the near miss
}

// Sessions that knetCases are put into.
const (
	knetPageSession = "knet/clean-page"
	knetLibSession  = "knet/clean-reference"
)

// mutants gives the mutant of a case, and its near miss. What is put in has a PacketID
// that is out of place.
func (x *knetCase) mutants() []Mutant {
	also := append([]string{"KN-DG-ID-INC"}, x.also...)
	m := Mutant{Rule: x.rule, Name: x.name, Also: also, On: knetPageSession, Tamper: knetInsert(x.fault, true)}
	if x.lib {
		m.On = knetLibSession
	}
	near := Mutant{Rule: x.rule, Name: "nearly " + x.name, Near: true, Also: also, On: m.On}
	if x.near != nil {
		near.Tamper = knetInsert(x.near, true)
	}
	return []Mutant{m, near}
}

func knetMutantsOf(cases []knetCase) (all []Mutant) {
	for i := range cases {
		all = append(all, cases[i].mutants()...)
	}
	return all
}

// knetInsertAt is after how many datagrams of the client something is put in.
const knetInsertAt = 25

// knetInsert lets the client send one more datagram, under a PacketID that nothing
// else has.
func knetInsert(make func(id uint32) []byte, fault bool) func() func(*sim.Datagram) []sim.Tampered {
	return func() func(*sim.Datagram) []sim.Tampered {
		n := 0
		return func(d *sim.Datagram) []sim.Tampered {
			out := sim.Untouched(d)
			if d.From.Side == 0 {
				if n++; n == knetInsertAt {
					out = append(out, sim.Tampered{Payload: make(knetOwnID), After: 100 * time.Microsecond, Fault: fault})
				}
			}
			return out
		}
	}
}

// knetOwnID is far from the PacketIDs of the sessions.
const knetOwnID = 3000

// page makes a datagram of Spec.
func page(id uint32, reliable bool, messages ...knet.Message) []byte {
	d := knet.Datagram{Dialect: knet.Spec, PacketID: id, Reliable: reliable, Messages: messages}
	return d.Append(nil)
}

// pageOn makes a datagram of Spec with dependencies.
func pageOn(id uint32, reliable bool, on []knet.Dependency, messages ...knet.Message) []byte {
	d := knet.Datagram{Dialect: knet.Spec, PacketID: id, Reliable: reliable, Messages: messages}
	d.InOrder = true
	d.Depends = copy(d.Dependencies[:], on)
	return d.Append(nil)
}

// lib makes a datagram of Reference. Reliable numbers are far from those of the
// sessions.
func lib(id uint32, messages ...knet.Message) []byte {
	d := knet.Datagram{Dialect: knet.Reference, PacketID: id, Messages: messages, Base: knet.Num(5000)}
	for _, m := range messages {
		d.Reliable = d.Reliable || m.IsReliable()
		d.InOrder = d.InOrder || m.Bits&knet.MessageInOrder != 0
	}
	return d.Append(nil)
}

// on are n dependencies on the datagrams before.
func on(n int) (all []knet.Dependency) {
	for i := range n {
		all = append(all, knet.Dependency{Delta: uint16(i)})
	}
	return all
}

// app is a message of the application.
func knetApp(text string) knet.Message { return knet.Message{ID: knet.Num(20), Body: []byte(text)} }

// coded gives a message an InOrder code and indexes.
func knetCoded(m knet.Message, code uint16, indexes ...byte) knet.Message {
	m.SetCode(code)
	m.Indexes = indexes
	return m
}

// flags sets bits of a message.
func knetFlags(m knet.Message, bits uint16) knet.Message {
	m.Bits |= bits
	return m
}

// start and later are fragments of a transfer.
func knetStart(transfer uint8, count uint32, text string) knet.Message {
	m := knetApp(text)
	m.Bits, m.FragmentCount, m.TransferID = knet.Fragment|knet.FragmentStart, knet.Num(count), transfer
	return m
}

func knetLater(transfer uint8, number uint32, text string) knet.Message {
	return knet.Message{Bits: knet.Fragment, FragmentNumber: knet.Num(number), TransferID: transfer, Body: []byte(text)}
}

// ping and others are control messages of both sessions' maps of ids.
func pagePing(k knet.Kind, id uint8) knet.Message { return knet.Ping(k, knet.IDsFromZero, id) }

// control is a low control message with a body of any size.
func knetControl(k knet.Kind, ids knet.IDMap, body ...byte) knet.Message {
	return knet.Message{Kind: k, ID: knet.Num(k.MessageID(ids)), Body: body}
}

func pageControl(k knet.Kind, body ...byte) knet.Message {
	return knetControl(k, knet.IDsFromZero, body...)
}

func libControl(k knet.Kind, body ...byte) knet.Message {
	return knetControl(k, knet.IDsFromOne, body...)
}

// appendBytes adds bytes to a datagram.
func knetTail(b []byte, more ...byte) []byte { return slices.Concat(b, more) }

// knetOneMore lets a side send one more datagram after one that holds a message of a
// kind.
func knetOneMore(side int, k knet.Kind, make func(id uint32) []byte) func() func(*sim.Datagram) []sim.Tampered {
	return func() func(*sim.Datagram) []sim.Tampered {
		var d knet.Datagram
		return func(x *sim.Datagram) []sim.Tampered {
			out := sim.Untouched(x)
			err := d.Decode(x.Payload, knet.Params{Dialect: knet.Reference, IDs: knet.IDsFromOne}, nil)
			if err == nil && x.From.Side == side && slices.ContainsFunc(d.Messages, func(m knet.Message) bool { return m.Kind == k }) {
				out = append(out, sim.Tampered{Payload: make(d.PacketID + 1), After: time.Millisecond, Fault: true})
			}
			return out
		}
	}
}
