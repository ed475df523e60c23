package pairs

import (
	"errors"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
)

// A Pair is one session as two captures show it.
type Pair struct {
	Plan    Plan
	Packets [2][]capture.Record
	Truth   Truth
}

// Take takes the two captures of a session. The same seed gives the same captures.
func Take(log *tracegen.WireLog, plan Plan, seed uint64) *Pair {
	x := &taking{Pair: &Pair{Plan: plan}, log: log, start: log.Seen[0].Time, end: log.Seen[len(log.Seen)-1].Time,
		fresh: map[int]uint16{}, identified: !plan.NewIDs, lives: make([]life, len(log.Sent))}
	x.names = translator{&x.Plan, log, x.start, map[client]uint16{}, map[client]bool{}}
	for i := range x.taps {
		x.taps[i] = newTap(&plan.Points[i], x.start, x.end, rand.New(rand.NewPCG(seed, uint64(100+i))))
	}
	for i := range log.Seen {
		for point, at := range plan.At {
			if log.Seen[i].At == at {
				x.pass(&log.Seen[i], point)
			}
		}
	}
	x.Truth = x.truth()
	return x.Pair
}

// taking is a Pair in the making.
type taking struct {
	*Pair
	log        *tracegen.WireLog
	start, end int64
	names      translator
	taps       [2]*tap
	fresh      map[int]uint16 // new identifications, by datagram
	lives      []life         // by datagram
	identified bool
	span       [2][2]int64 // true times of the first and the last packet that a point captured
}

// A life is what became of one datagram at the two points.
type life [2]struct {
	frames []int // captured
	whole  int   // the frame that made it whole, 0 for none
	parts  int   // passed
	at     int64 // when it had passed, the first copy of it, true time; 0 for never
	taken  int64 // when the captured one had, true time
}

// pass lets a packet pass a point.
func (x *taking) pass(s *tracegen.Sighting, point int) {
	d, l := &x.log.Sent[s.Datagram], &x.lives[s.Datagram][point]
	if l.parts++; l.parts == d.Parts {
		l.at = s.Time
	}
	ip := x.rewritten(s, d, point)
	if !x.taps[point].captures(s.Time) {
		return
	}
	x.Packets[point] = append(x.Packets[point], x.taps[point].record(ip, x.start, s.Time))
	if x.span[point][1] = s.Time; len(x.Packets[point]) == 1 {
		x.span[point][0] = s.Time
	}
	l.frames = append(l.frames, len(x.Packets[point]))
	if len(l.frames) == d.Parts {
		l.whole, l.taken = len(x.Packets[point]), s.Time
	}
}

// rewritten is the packet as it passes a point.
func (x *taking) rewritten(s *tracegen.Sighting, d *tracegen.SentDatagram, point int) []byte {
	p := packet(slices.Clone(s.IP))
	second := point != x.Plan.first(d.Side)
	if id := p.id(); id == 0 {
		x.identified = false
	} else {
		switch {
		case x.Plan.NewIDs && second:
			p.identify(x.identification(s.Datagram))
		case d.Player > 0:
			p.identify(max(1, id+977*uint16(d.Player)))
		}
	}
	if second {
		p.age(x.Plan.Hops)
	}
	if x.Plan.NAT != NoNAT || x.log.Players > 1 || x.log.Alias.IsValid() {
		from, to := x.names.address(d, point, s.Time)
		p.address(from, to, d.UDP)
	}
	return p
}

// identification is the one that a router gives a datagram.
func (x *taking) identification(datagram int) uint16 {
	if _, ok := x.fresh[datagram]; !ok {
		x.fresh[datagram] = max(1, uint16(len(x.fresh)*3+20011))
	}
	return x.fresh[datagram]
}

// A tap is a point that captures.
type tap struct {
	*Capture
	dice       *rand.Rand
	start, end int64 // while it runs
	burst      bool
}

func newTap(c *Capture, start, end int64, dice *rand.Rand) *tap {
	length := float64(end - start)
	t := &tap{c, dice, start + int64(c.From*length), start + int64(c.To*length), false}
	if c.To == 0 {
		t.end = end + 1
	}
	return t
}

// runs reports whether the point captures at a true time.
func (t *tap) runs(now int64) bool { return now >= t.start && now < t.end }

func (t *tap) captures(now int64) bool { return t.runs(now) && !t.misses() }

// misses throws the dice: misses in a row end with the chance that gives them their length,
// and begin with the one that gives the share.
func (t *tap) misses() bool {
	switch {
	case t.Miss == 0:
		return false
	case t.Burst < 2:
		return t.dice.Float64() < t.Miss
	case t.burst:
		t.burst = t.dice.Float64() >= 1/float64(t.Burst)
	default:
		t.burst = t.dice.Float64() < t.Miss/(1-t.Miss)/float64(t.Burst)
	}
	return t.burst
}

// record is a captured packet.
func (t *tap) record(ip []byte, start, now int64) capture.Record {
	if !t.Raw {
		kind := []byte{0x08, 0x00}
		if ip[0]>>4 == 6 {
			kind = []byte{0x86, 0xdd}
		}
		ip = slices.Concat([]byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1}, kind, ip)
		for len(ip) < 60 {
			ip = append(ip, 0) // IEEE 802.3: short frames are padded
		}
	}
	rec := capture.Record{Data: ip, WireLen: len(ip), Time: t.Clock.Tell(start, now), HasTime: true}
	if t.Snaplen > 0 && len(ip) > t.Snaplen {
		rec.Data = ip[:t.Snaplen]
	}
	return rec
}

// Write writes the capture of a point.
func (p *Pair) Write(w io.Writer, point int) error {
	c := &p.Plan.Points[point]
	opts := capture.WriterOptions{Format: "pcap", Interfaces: []capture.Interface{{Link: capture.LinkEthernet, Snaplen: uint32(c.Snaplen)}}}
	if c.PcapNG {
		opts.Format = "pcapng"
	}
	if c.Raw {
		opts.Interfaces[0].Link = capture.LinkRaw
	}
	out, err := capture.NewWriter(w, opts)
	if err != nil {
		return err
	}
	for i := range p.Packets[point] {
		err = errors.Join(err, out.Write(&p.Packets[point][i]))
	}
	return errors.Join(err, out.Flush())
}

// Crowd puts sessions together that begin so much later, ns, each of which another player
// plays with the same server.
func Crowd(logs []*tracegen.WireLog, shifts []int64) *tracegen.WireLog {
	all := &tracegen.WireLog{Hosts: logs[0].Hosts, Alias: logs[0].Alias, Players: len(logs)}
	for k, log := range logs {
		base := len(all.Sent)
		for _, d := range log.Sent {
			d.Player = k
			all.Sent = append(all.Sent, d)
		}
		for _, s := range log.Seen {
			s.Datagram, s.Time = s.Datagram+base, s.Time+shifts[k]
			all.Seen = append(all.Seen, s)
		}
	}
	slices.SortStableFunc(all.Seen, func(a, b tracegen.Sighting) int { return int(a.Time - b.Time) })
	return all
}
