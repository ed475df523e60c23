package tracegen

import (
	"bytes"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// An ending is something that happens with a session, and what captures show of it. What
// may be said is written as endVerdicts reads it, first what the capture shows.
type ending struct {
	name  string
	what  string // in plain words
	kinds string // dialects; "hazel*" all of a protocol, "!dp4" not this one
	cause string // really
	side  string // really
	play  func(c *cast)

	seen   string  // what may be said; "": the truth
	beyond string  // … on side 1 of where the road breaks; "": the same
	middle string  // … half way; "": as at the place
	both   string  // what may be said by who captures at both machines; "": the truth
	others string  // what may be said of further connections of the two; "": anything
	missed string  // what may be said besides when the capture missed what tells the end
	spot   float64 // where the road breaks; 0: where the cast says

	key  func(*sim.Datagram) bool // the packets of which one must be captured to tell the end
	open time.Duration            // the session goes on; the capture ends so long after the event

	must, mustBeyond, mustNot string // contributing causes
}

const (
	// nothingLost is false of a way that loses nothing; nothing is no cause.
	nothingLost = "loss loss-burst"

	nothing = " "

	silentA = "peer-silent:a,path,- retries-exhausted:a,path,-"
	silentB = "peer-silent:b,path,- retries-exhausted:b,path,-"
	// gaveUp is a side that gives up for what the capture does not show.
	gaveUp = "peer-silent:a,path,- reset:a closed:a retries-exhausted:a,path port-closed:a undecided:-"
)

// since is all the time from a moment on.
func since(at time.Duration) Pause { return Pause{at, 1 << 62} }

// marker stands in a message that a filter on the way does not like.
var marker = []byte("XMARKERX")

func marked(d *sim.Datagram) bool { return bytes.Contains(d.Payload, marker) }

// then does something when the time has come.
func then(f func(c *cast)) func(c *cast) {
	return func(c *cast) { c.At(c.when, func() { f(c) }) }
}

// endings are all of them: how sessions end …
var endings = []ending{
	{name: "open", what: "Nothing is wrong; the capture ends in the middle of the session.", kinds: "all hazel-dtls", cause: "still-open",
		play: func(*cast) {}, open: 5 * time.Second, mustNot: "*"},
	{name: "idle-open", what: "Nothing is wrong; neither side speaks any more, and the capture ends 40 s later.", kinds: "hazel hazel-v01 dp8 dp4", cause: "still-open",
		play: func(c *cast) { c.quiet(since(c.when)) }, open: 40 * time.Second, mustNot: nothingLost},
	{name: "no-answer", what: "Nothing comes back from the server: it does not exist.", both: "no-answer:b,-", kinds: "hazel* dp8* knet* hazel-dtls", cause: "no-answer",
		seen: "no-answer:-,b,path", play: func(c *cast) { c.Hosts[1].Receive = nil }},
	{name: "port-closed-before", what: "Nobody listens at the server's port, and its machine says so.", kinds: "hazel* dp8* knet* hazel-dtls", cause: "port-closed", side: "b",
		seen: "port-closed:b no-answer:-,b,path", key: notice, play: func(c *cast) { c.refuses(1) }},
	{name: "killed-icmp-b", what: "The server's process is killed; its machine says that the port is closed.", kinds: "all hazel-dtls", cause: "port-closed", side: "b",
		seen: "port-closed:b", key: notice, play: then(func(c *cast) { c.kill[1](); c.refuses(1) })},
	{name: "killed-icmp-a", what: "The client's process is killed; its machine says that the port is closed.", kinds: "all hazel-dtls", cause: "port-closed", side: "a",
		seen: "port-closed:a", key: notice, play: then(func(c *cast) { c.kill[0](); c.refuses(0) })},
	{name: "refused", what: "The server turns the client away, with a reason.", kinds: "hazel knet-spec", cause: "refused", side: "b",
		key: closingOf(1), play: func(c *cast) { c.refuse(reason(3)) }},
	{name: "version", what: "The server turns the client away because its version is another.", both: "version-mismatch:b,a refused:b", kinds: "hazel", cause: "version-mismatch", side: "b",
		seen: "version-mismatch:b,a refused:b", key: closingOf(1), play: func(c *cast) { c.refuse(reason(5)) }},
	{name: "version-silent", what: "The client's version knows no signatures, which the server wants; the server says nothing.", both: "version-mismatch:a,b no-answer:b,-", kinds: "dp8-fast dp8-full", cause: "version-mismatch", side: "b",
		seen: "no-answer:-,b,path version-mismatch:a,b", play: func(*cast) {}},
	{name: "secret", what: "The client signs with another secret than the server expects.", both: "secret-mismatch:a,both", kinds: "dp8-fast dp8-full", cause: "secret-mismatch", side: "a",
		seen: "secret-mismatch:a,both", play: func(*cast) {}},
	{name: "garbage", what: "The client sends what the server cannot read; the server drops the connection without a word and takes what comes next for a new client.",
		both: "protocol-violation:a peer-restarted:b still-open:-", kinds: "knet knet-2010", cause: "protocol-violation", side: "a", seen: "protocol-violation:a peer-restarted:b still-open:-", others: "still-open:-",
		play: then(func(c *cast) { c.violate([]byte{0x00, 0x40, 0xff, 0x05, 0x09, 0xff}) })},
	{name: "server-restarts", what: "The server's process is killed and started again 0.8 s later; it takes what comes next for a new client.",
		both: "still-open:- peer-restarted:b", kinds: "knet knet-2010", cause: "still-open", seen: "still-open:- peer-restarted:b", others: "still-open:-", // the client goes on
		play: then(func(c *cast) { c.kill[1](); c.pause(800*time.Millisecond, func() { c.restart(1) }) })},
	{name: "client-restarts", what: "The client's process is killed and comes back 1.2 s later from the same port.",
		kinds: "hazel hazel-2019", cause: "peer-restarted", side: "a", others: "still-open:-",
		play: then(func(c *cast) { c.kill[0](); c.pause(1200*time.Millisecond, func() { c.restart(0) }) })},
	{name: "marked", what: "A filter on the way drops one message each time; all others pass.", kinds: "hazel* dp8* dp4* knet-spec", cause: "retries-exhausted", side: "path",
		seen: "retries-exhausted:path", beyond: gaveUp, play: func(c *cast) {
			c.filter(marked, marker)
			if c.kind.slow {
				c.end += 80 * time.Second // the page sends a message 50 times
			}
		}},
	// Hazel's fork 36 sends large packets when it connects, to learn which sizes pass.
	{name: "black-hole", what: "Datagrams above 500 bytes do not arrive; smaller ones do.", both: "size-black-hole:path retries-exhausted:path", kinds: "hazel* dp8* dp4* !hazel-fork36", cause: "size-black-hole", side: "path",
		seen: "size-black-hole:path,a retries-exhausted:path,a", beyond: gaveUp,
		play: func(c *cast) { c.filter(func(d *sim.Datagram) bool { return len(d.Payload) > 500 }, make([]byte, 900)) }},
	{name: "one-way", what: "Nothing of the client arrives at the server any more; the other direction works.", kinds: "all", cause: "one-way", side: "path",
		seen: "one-way:path", beyond: silentA + " one-way:path",
		play: func(c *cast) { c.lose(0, c.spot, since(c.when), nil) }},
	{name: "one-way-back", what: "Nothing of the server arrives at the client any more; the other direction works.", kinds: "all", cause: "one-way", side: "path",
		seen: silentB + " one-way:path", beyond: "one-way:path",
		play: func(c *cast) { c.lose(1, c.spot, since(c.when), nil) }},
	{name: "nat-expired", what: "Neither side speaks for 24 s; the router forgets the client, and what the server says then is lost.", both: "nat-expired:path,- one-way:path", kinds: "hazel dp4*", cause: "nat-expired", side: "path",
		seen: "still-open:- undecided:-", beyond: "nat-expired:path,- peer-silent:a,path,- retries-exhausted:a,path,-", spot: natSpot,
		play: func(c *cast) { c.forgotten(1) }},
	{name: "nat-resumed", what: "Neither side speaks for 24 s; the router forgets the client and gives it another port when it speaks again, which the server does not know.",
		both: "nat-expired:path,a,- nat-rebinding:path,a", kinds: "hazel dp8* dp4*", cause: "nat-expired", side: "path", spot: natSpot,
		seen: "nat-expired:path,- peer-silent:b,path,- retries-exhausted:b,path,- path-dead:path", beyond: "nat-rebinding:path,a nat-expired:path,a",
		play: func(c *cast) { c.forgotten(0) }},
	{name: "nat-rebinding", what: "The router gives the client another port in the middle of the session.", both: "nat-rebinding:path,a", kinds: "hazel* dp8* dp4* knet knet-2010", cause: "nat-rebinding", side: "path", spot: natSpot,
		seen: silentB + " one-way:path path-dead:path nat-rebinding:path peer-restarted:b still-open:-", beyond: "nat-rebinding:path,a",
		play: func(c *cast) { c.forget(c.when) }},
	{name: "killed-a", what: "The client's machine dies.", both: "peer-silent:a retries-exhausted:a", kinds: "all hazel-dtls", cause: "peer-silent", side: "a", seen: silentA, play: then(func(c *cast) { c.kill[0]() })},
	{name: "killed-b", what: "The server's machine dies.", both: "peer-silent:b retries-exhausted:b", kinds: "all hazel-dtls", cause: "peer-silent", side: "b", seen: silentB, play: then(func(c *cast) { c.kill[1]() })},
	{name: "cut", what: "The cable is cut between the two.", kinds: "all hazel-dtls", cause: "path-dead", side: "path",
		seen: silentB + " path-dead:path", beyond: silentA + " path-dead:path", play: func(c *cast) { c.cut(c.spot, since(c.when)) }},
	{name: "idle-cut", what: "The cable is cut while nobody speaks; keep-alives notice.", kinds: "hazel hazel-2019 knet knet-2010 knet-spec", cause: "path-dead", side: "path",
		seen: silentB + " path-dead:path", beyond: silentA + " path-dead:path",
		play: func(c *cast) { c.quiet(since(c.when - 2*time.Second)); c.cut(c.spot, since(c.when)) }},
	{name: "path-dead", what: "What both sides send enters the way and leaves it no more.", kinds: "all", cause: "path-dead", side: "path",
		seen: silentB + " path-dead:path", beyond: silentA + " path-dead:path", middle: "path-dead:path", spot: 0.5,
		play: func(c *cast) { c.lose(0, 0.75, since(c.when), nil); c.lose(1, 0.25, since(c.when), nil) }},
	{name: "closed-a", what: "The client leaves in order.", kinds: "hazel* dp8* knet* hazel-dtls", cause: "closed", side: "a", missed: "port-closed:a", key: closingOf(0),
		play: then(func(c *cast) { c.leave[0]() }), mustNot: nothingLost},
	{name: "closed-b", what: "The server ends the session in order.", kinds: "hazel* dp8* knet* hazel-dtls", cause: "closed", side: "b", key: closingOf(1),
		play: then(func(c *cast) { c.leave[1]() }), mustNot: nothingLost},
	{name: "kicked", what: "The server ends the session and says why.", kinds: "hazel", cause: "closed", side: "b", key: closingOf(1),
		play: then(func(c *cast) { c.kick(reason(7)) }), mustNot: nothingLost},
	{name: "leftover", what: "The client leaves in order; a datagram of it comes late, and the server takes it for a new client, whose machine says that the port is closed.",
		kinds: "knet knet-2010", cause: "closed", side: "a", others: "closed:a,b,-", key: closingOf(0), play: leftover, mustNot: nothingLost},
	{name: "gap", what: "The client leaves in order while the capture stands still for 2 s.", kinds: "hazel hazel-spec dp8* knet*", cause: "closed", side: "a", key: closingOf(0),
		seen: "poor-capture:- closed:a", play: func(c *cast) {
			c.At(c.when-time.Second, func() { c.Net.Tap.Unseen = [2]bool{true, true} })
			c.At(c.when, func() { c.leave[0]() })
			c.At(c.when+time.Second, func() { c.Net.Tap.Unseen = [2]bool{} })
		}, mustNot: nothingLost},
	{name: "reset-a", what: "The client ends the session at once.", kinds: "dp8*", cause: "reset", side: "a", key: closingOf(0),
		play: then(func(c *cast) { c.hard[0]() }), mustNot: nothingLost},
	{name: "reset-b", what: "The server ends the session at once.", kinds: "dp8*", cause: "reset", side: "b", key: closingOf(1),
		play: then(func(c *cast) { c.hard[1]() }), mustNot: nothingLost},
}

// refuses lets the host of a side answer that nobody listens there, as Linux does: six times
// at once, and once a second.
func (c *cast) refuses(side int) {
	left, at := 6.0, c.Net.Clock.Now()
	c.Hosts[side].Receive = func(d *sim.Datagram) {
		now := c.Net.Clock.Now()
		left, at = min(6, left+(now-at).Seconds()), now
		if left >= 1 && d.Proto != sim.ProtoICMP {
			left--
			c.unreachable(d)
		}
	}
}

// leftover lets side 0 leave and sends what it said before once more, when it has left.
func leftover(c *cast) {
	var late *sim.Datagram
	c.Net.Sent = func(d *sim.Datagram) {
		if d.From == c.Hosts[0] && c.Net.Clock.Now() < c.when {
			late = d
		}
	}
	c.At(c.when, func() { c.leave[0]() })
	c.At(c.when+700*time.Millisecond, func() {
		c.refuses(0)
		c.Net.Send(&sim.Datagram{From: late.From, To: late.To, Payload: late.Payload, Note: late.Note})
	})
}

// quiet lets both applications say nothing for a time.
func (c *cast) quiet(p Pause) {
	for i := range c.plans {
		c.plans[i].Pauses = append(c.plans[i].Pauses, p)
	}
}

// filter drops what a filter on the way does not like, and lets side 0 send some of it.
func (c *cast) filter(match func(*sim.Datagram) bool, message []byte) {
	c.lose(0, c.spot, since(0), match)
	c.At(c.when, func() { c.say(c.voices[0], message, true, true, 0) })
}

// forgotten lets nobody speak for 24 s, and then one side alone; the router has forgotten
// side 0 meanwhile.
func (c *cast) forgotten(speaks int) {
	const idle = 24 * time.Second
	c.plans[1-speaks].Pauses = []Pause{since(c.when)}
	c.plans[speaks].Pauses = []Pause{{c.when, c.when + idle}}
	c.end += idle
	c.forget(c.when + idle - time.Second)
}
