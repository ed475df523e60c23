package track_test

import (
	"container/heap"
	"math/rand/v2"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/internal/testbed/sessiontest"
)

// A world is two endpoints of MC-DPL4R, the path between them and a capture
// point on it; it knows what really happened.
type world struct {
	cfg    worldConfig
	rnd    *rand.Rand
	now    int64
	events eventQueue
	order  int
	peers  [2]*peer
	tap    []tapped
	drops  [2]struct{ before, after, capture int } // by sender
}

type worldConfig struct {
	messages            int
	before, after, miss float64 // losses before and after the capture point, and by the capture
	double              float64
	jitter              float64 // ms
	nacks, mirrored     bool
	perPacket           bool // serials count each packet by itself
	header              bool
	cutStart            int // frames
}

type turn struct {
	at    int64
	order int
	do    func()
}
type eventQueue []turn

func (q eventQueue) Len() int { return len(q) }
func (q eventQueue) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].order < q[j].order
}
func (q eventQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *eventQueue) Push(x any)   { *q = append(*q, x.(turn)) }
func (q *eventQueue) Pop() any     { e := (*q)[len(*q)-1]; *q = (*q)[:len(*q)-1]; return e }

func (w *world) after(ms float64, do func()) {
	w.order++
	heap.Push(&w.events, turn{w.now + int64(ms*1e6), w.order, do})
}

// A tapped datagram passed the capture point.
type tapped struct {
	at      int64
	from    dissect.Dir
	payload []byte
	ipid    uint16
	tx      *transmission
	copied  bool
}

// A transmission is one frame on its way.
type transmission struct {
	f    dp4.Frame
	num  int64 // unwrapped; of an acknowledgement, the next number not covered
	unit *unitOut
	try  int
}

type unitOut struct {
	num, msg int64
	flags    dp4.Flags
	data     []byte
	tries    int
	acked    bool
	whole    *messageOut
}

type messageOut struct {
	msg    int64
	parts  []*unitOut
	serial int
	data   []byte
}

type peer struct {
	w     *world
	side  dissect.Dir
	msg   int64
	seq   int64
	ipid  uint16
	units map[int64]*unitOut
	queue []*messageOut
	out   []*messageOut // sent, not acknowledged

	expected int64
	got      map[int64]*transmission
	gapAt    map[int64]int64
	bytes    uint32
	last     *transmission
	all      []*messageOut
}

func newWorld(seed uint64, cfg worldConfig) *world {
	w := &world{cfg: cfg, rnd: rand.New(rand.NewPCG(seed, 4)), now: 1e15}
	for i := range dissect.Dirs {
		w.peers[i] = &peer{w: w, side: i, msg: 1, seq: 1, expected: 1, units: map[int64]*unitOut{}, got: map[int64]*transmission{}, gapAt: map[int64]int64{}}
		w.peers[i].talk(cfg.messages)
	}
	for w.events.Len() > 0 {
		e := heap.Pop(&w.events).(turn)
		w.now = e.at
		e.do()
	}
	slices.SortStableFunc(w.tap, func(a, b tapped) int { return int(a.at - b.at) })
	w.tap = w.tap[min(cfg.cutStart, len(w.tap)):]
	return w
}

// talk queues messages at random times.
func (p *peer) talk(n int) {
	if n == 0 {
		return
	}
	p.w.after(p.w.rnd.ExpFloat64()*40, func() {
		parts := 1
		if p.w.rnd.IntN(6) == 0 {
			parts = 2 + p.w.rnd.IntN(5)
		}
		rly := dp4.Flags(p.w.rnd.IntN(2))
		m := &messageOut{msg: p.msg}
		p.msg++
		for i := range parts {
			u := &unitOut{num: p.seq, msg: m.msg, flags: dp4.CMD | rly, data: make([]byte, p.w.rnd.IntN(120)), whole: m}
			for j := range u.data {
				u.data[j] = byte(p.w.rnd.Uint32())
			}
			if i == 0 {
				u.flags |= dp4.STA
			}
			if i == parts-1 {
				u.flags |= dp4.EOM
				if rly != 0 || p.w.rnd.IntN(3) == 0 {
					u.flags |= dp4.SAK
				}
			}
			p.seq++
			m.parts, m.data = append(m.parts, u), append(m.data, u.data...)
		}
		p.all = append(p.all, m)
		p.queue = append(p.queue, m)
		p.pump()
		p.talk(n - 1)
	})
}

func (p *peer) pump() {
	for len(p.queue) > 0 && (len(p.out) == 0 || p.queue[0].msg-p.out[0].msg < dp4.MessageWindow-1) {
		m := p.queue[0]
		p.queue = p.queue[1:]
		if m.parts[0].flags&dp4.RLY != 0 {
			p.out = append(p.out, m)
		}
		for _, u := range m.parts {
			p.units[u.num] = u
			p.sendUnit(u, false)
		}
	}
}

func (p *peer) sendUnit(u *unitOut, retry bool) {
	serial := u.whole.serial
	if p.w.cfg.perPacket || len(u.whole.parts) == 1 {
		serial = u.tries
	}
	u.whole.serial++
	flags := u.flags
	if retry {
		flags |= dp4.SAK
	}
	tx := &transmission{unit: u, num: u.num, try: u.tries, f: dp4.Frame{Flags: flags, MessageID: uint8(u.msg), Sequence: uint8(u.num), Serial: uint8(serial), Data: u.data}}
	u.tries++
	p.transmit(tx)
	if u.flags&dp4.RLY != 0 {
		p.w.after(250+p.w.rnd.Float64()*50, func() {
			if !u.acked && u.tries == tx.try+1 && u.tries < 40 {
				p.sendUnit(u, true)
			}
		})
	}
}

// transmit sends a frame on its way past the capture point.
func (p *peer) transmit(tx *transmission) {
	w := p.w
	f := &tx.f
	f.From, f.To = dp4.Index{Value: uint32(300 + p.side)}, dp4.Index{Value: uint32(301 - p.side)}
	if w.cfg.header {
		f.HasSP, f.SP = true, dp4.SPHeader{Token: dp4.TokenRemote, Family: dp4.SPFamily, Port: 2300}
		f.SP.Size = uint32(len(f.Append(nil)))
	}
	payload := f.Append(nil)
	p.ipid++
	ipid := p.ipid
	copies := 1
	if w.rnd.Float64() < w.cfg.double {
		copies = 2
	}
	if w.rnd.Float64() < w.cfg.before {
		w.drops[p.side].before++
		return
	}
	for i := range copies {
		w.after(5+w.rnd.Float64()*w.cfg.jitter, func() {
			if w.rnd.Float64() < w.cfg.miss {
				w.drops[p.side].capture++
			} else {
				w.tap = append(w.tap, tapped{w.now, p.side, payload, ipid, tx, i > 0})
			}
			if w.rnd.Float64() < w.cfg.after {
				w.drops[p.side].after++
				return
			}
			for range 1 + w.rnd.IntN(1+int(w.cfg.double*20)) {
				w.after(5+w.rnd.Float64()*w.cfg.jitter, func() { w.peers[p.side.Other()].receive(tx, len(payload)) })
			}
		})
	}
}

func (p *peer) receive(tx *transmission, size int) {
	if tx.unit == nil {
		p.heard(tx)
		return
	}
	p.bytes += uint32(tx.f.Size(size) + int(tx.f.From.Width) + int(tx.f.To.Width) - 4) // indexes take two bytes each
	p.got[tx.num] = tx
	p.last = tx
	for p.got[p.expected] != nil {
		p.expected++
	}
	if tx.f.Flags&dp4.SAK == 0 && (tx.f.Flags&dp4.EOM == 0 || len(tx.unit.whole.parts) == 1) && tx.num < p.expected {
		return
	}
	p.skip()
	p.answer(tx)
	if tx.num >= p.expected { // look again when an unreliable gap may be given up
		p.w.after(420, p.skip)
	}
}

// skip passes over what was not reliable and is 400 ms late; the model asks the
// sender.
func (p *peer) skip() {
	for {
		if p.got[p.expected] != nil {
			p.expected++
			continue
		}
		u := p.w.peers[p.side.Other()].units[p.expected]
		higher := false
		for n := p.expected + 1; n < p.expected+200 && !higher; n++ {
			higher = p.got[n] != nil
		}
		if u == nil || !higher || u.flags&dp4.RLY != 0 {
			return
		}
		at, ok := p.gapAt[p.expected]
		if !ok {
			p.gapAt[p.expected] = p.w.now
			return
		}
		if p.w.now-at < 400e6 {
			return
		}
		p.expected++
	}
}

func (p *peer) answer(tx *transmission) {
	a := &transmission{num: p.expected}
	a.f = dp4.Frame{BytesReceived: p.bytes, Tick: uint32(p.w.now / 1e6)}
	if tx.num >= p.expected && p.w.cfg.nacks {
		u := p.w.peers[p.side.Other()].units[p.expected]
		a.f.Flags, a.f.MessageID, a.f.Sequence = dp4.ACK|dp4.EXT, uint8(u.msg), uint8(p.expected)
		for i := range int64(24) {
			if n := p.expected + 1 + i; n < tx.num && p.got[n] == nil {
				a.f.Mask |= 1 << i
				a.f.MaskSize = uint8(i/8 + 1)
			}
		}
		if a.f.ExtFlags = dp4.LSBFirst.ExtFlags(int(a.f.MaskSize)); p.w.cfg.mirrored {
			a.f.ExtFlags = dp4.MSBFirst.ExtFlags(int(a.f.MaskSize))
		}
		p.transmit(a)
		return
	}
	last := p.got[p.expected-1]
	if last == nil {
		return // nothing in order yet
	}
	a.f.Flags, a.f.MessageID, a.f.Sequence, a.f.Serial = dp4.ACK, last.f.MessageID, uint8(p.expected-1), last.f.Serial
	p.transmit(a)
}

func (p *peer) heard(a *transmission) {
	for n, u := range p.units {
		u.acked = u.acked || n < a.num
	}
	if a.f.Flags&dp4.EXT != 0 {
		again := []int64{a.num}
		for i := range int64(24) {
			if a.f.Mask>>i&1 != 0 {
				again = append(again, a.num+1+i)
			}
		}
		for _, n := range again {
			if u := p.units[n]; u != nil && u.flags&dp4.RLY != 0 && !u.acked {
				p.sendUnit(u, true)
			}
		}
	}
	for len(p.out) > 0 && p.out[0].parts[len(p.out[0].parts)-1].acked {
		p.out = p.out[1:]
	}
	p.pump()
}

// play shows the capture to a tracker.
func (w *world) play(s *scene) {
	for i := range w.tap {
		x := &w.tap[i]
		s.Now = x.at - sessiontest.Step
		s.Add(x.from, dissect.Datagram{Payload: x.payload, IPID: x.ipid})
	}
}
