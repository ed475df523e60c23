package points

import (
	"hash/maphash"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
)

// A flow is one direction between two endpoints.
type flow struct{ src, dst dissect.Endpoint }

// A print is what tells one UDP datagram from others, and where it was captured.
type print struct {
	hash  uint64 // of the flow, the length and the payload
	bare  uint64 // of the length and the payload
	time  int64
	frame uint64
	flow  int32 // index in prints.flows
	ipid  uint16
	ttl   uint8
	once  bool // no other datagram of the file has the hash
}

// Prints are those of one file, in its order.
type Prints struct {
	Path     string
	list     []print
	flows    []flow
	index    map[flow]int32
	seed     maphash.Seed
	prefix   int // bytes of a payload that are compared, 0 for all
	cut      int // the shortest payload that the capture cut short, 0 when none was
	first    int64
	last     int64
	timed    bool
	all      bool // the file was read to its end
	dropped  uint64
	untimely bool // packets without a time, or a clock that was set back by much
}

// Bounds of what is held of a file.
const (
	headPrints = 1 << 12 // to recognise
	fullPrints = 1 << 20 // to compare
	mostSkip   = 1 << 20 // packets passed over in search of the later file's beginning
)

// read makes the prints of up to most datagrams of a file, from a time on.
func read(path string, opts capture.Options, seed maphash.Seed, prefix, most int, from int64) *Prints {
	p := &Prints{Path: path, index: map[flow]int32{}, seed: seed, prefix: prefix}
	src, err := capture.Open([]string{path}, opts)
	if err != nil {
		return p
	}
	defer src.Close()
	for skipped := 0; ; {
		pkt, ok := src.Next()
		if !ok {
			p.all = true
			break
		}
		if pkt == nil || !p.clock(pkt) {
			continue
		}
		if pkt.Time < from {
			if skipped++; skipped > mostSkip {
				break
			}
			continue
		}
		if pkt.Class == capture.UDP && pkt.Length > 0 {
			p.add(&pkt.Datagram)
		}
		if len(p.list) == most {
			break
		}
	}
	p.dropped = droppedBy(src.Infos())
	p.findOnce()
	return p
}

func droppedBy(infos []capture.Info) (n uint64) {
	for i := range infos {
		n += infos[i].Dropped
	}
	return n
}

// clock notes the time of a packet; one without is not compared.
func (p *Prints) clock(pkt *capture.Packet) bool {
	if !pkt.HasTime {
		p.untimely = true
		return false
	}
	if !p.timed {
		p.first, p.last, p.timed = pkt.Time, pkt.Time, true
	}
	p.last = max(p.last, pkt.Time)
	return true
}

func (p *Prints) add(d *dissect.Datagram) {
	f := flow{d.Src, d.Dst}
	i, ok := p.index[f]
	if !ok {
		i = int32(len(p.flows))
		p.index[f] = i
		p.flows = append(p.flows, f)
	}
	payload := d.Payload
	if d.Cut() && (p.cut == 0 || len(payload) < p.cut) {
		p.cut = max(len(payload), 1)
	}
	if p.prefix > 0 && len(payload) > p.prefix {
		payload = payload[:p.prefix]
	}
	var h maphash.Hash
	h.SetSeed(p.seed)
	maphash.WriteComparable(&h, d.Length)
	h.Write(payload)
	bare := h.Sum64()
	maphash.WriteComparable(&h, f)
	p.list = append(p.list, print{hash: h.Sum64(), bare: bare, time: d.Time, frame: d.Frame, flow: i, ipid: d.IPID, ttl: d.TTL})
}

// copyTime is within which an equal datagram may be a copy that a mirror port made.
const copyTime = 5e6

// findOnce marks the datagrams that prove something: payloads that repeat, as those of
// keepalives and retries, prove nothing. A copy that a mirror port made is no repetition:
// it is left out.
func (p *Prints) findOnce() {
	last := make(map[uint64]int, len(p.list)) // index in kept
	kept := p.list[:0]
	for _, x := range p.list {
		i, ok := last[x.hash]
		if ok && x.ipid == kept[i].ipid && x.time-kept[i].time < copyTime {
			continue
		}
		x.once = !ok
		if ok {
			kept[i].once = false
		}
		last[x.hash] = len(kept)
		kept = append(kept, x)
	}
	p.list = kept
}
