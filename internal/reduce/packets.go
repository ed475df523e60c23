package reduce

import (
	"bytes"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
)

// A packet is one of the input, kept to be written again.
type packet struct {
	record   capture.Record
	frame    uint64 // its number in the input
	pair     pair
	assembly uint64 // number of the datagram that it is a fragment of, 0 for none
}

// A pair is the two addresses of a datagram, the lower one first, so that both directions
// have the same.
type pair [2]dissect.Endpoint

func pairOf(a, b dissect.Endpoint) pair {
	if bytes.Compare(a.IP[:], b.IP[:]) > 0 || a.IP == b.IP && a.Port > b.Port {
		a, b = b, a
	}
	return pair{a, b}
}

// packets are those of a capture.
type packets struct {
	list    []packet
	links   []capture.LinkType // the interfaces of the output
	snaplen uint32             // of the first one, for packets without a time
}

// load reads packets into memory: those of an address pair, with the fragments of its
// datagrams, or all of them where it is nil.
func load(src *capture.Source, of *pair) *packets {
	p := &packets{}
	whole, dropped := map[uint64]bool{}, uint64(0)
	for {
		k, more := src.Next()
		if !more {
			if of != nil {
				p.forget(func(k *packet) bool { return k.pair == pair{} && !whole[k.assembly] })
			}
			p.describe()
			return p
		}
		if k == nil {
			continue
		}
		one := packet{record: copyOf(k.Record, k.Dropped-dropped), frame: k.Frame, assembly: k.Assembly}
		dropped = k.Dropped
		switch {
		case k.Class == capture.UDP || k.Class == capture.Unreachable:
			one.pair = pairOf(k.Src, k.Dst)
			if of != nil && one.pair != *of {
				continue
			}
			whole[k.Assembly] = k.Assembly != 0
		case of != nil && k.Class != capture.Fragment:
			continue
		}
		p.list = append(p.list, one)
	}
}

// copyOf is a record that stays, as it is written: with the drops that the capture knew of
// when it came to it, and without comments.
func copyOf(rec *capture.Record, drops uint64) capture.Record {
	return capture.Record{Data: bytes.Clone(rec.Data), WireLen: rec.WireLen, Time: rec.Time, HasTime: rec.HasTime, Outbound: rec.Outbound,
		Drops: drops, HasDrops: drops > 0, Link: rec.Link}
}

func (p *packets) forget(gone func(*packet) bool) {
	kept := p.list[:0]
	for i := range p.list {
		if !gone(&p.list[i]) {
			kept = append(kept, p.list[i])
		}
	}
	p.list = kept
}

// describe chooses the interfaces: one for each link type. A packet without a time belongs to
// the first.
func (p *packets) describe() {
	numbers := map[capture.LinkType]int{}
	add := func(r *capture.Record) {
		if _, ok := numbers[r.Link]; !ok {
			numbers[r.Link] = len(p.links)
			p.links = append(p.links, r.Link)
		}
		r.Interface = numbers[r.Link]
	}
	for i := range p.list {
		if r := &p.list[i].record; !r.HasTime {
			add(r)
			if len(r.Data) < r.WireLen {
				p.snaplen = uint32(len(r.Data))
			}
		}
	}
	for i := range p.list {
		add(&p.list[i].record)
	}
}

// write gives a capture of some packets, by their places.
func (p *packets) write(places []int, application string) ([]byte, error) {
	var out bytes.Buffer
	o := capture.WriterOptions{Format: "pcapng", Nanoseconds: true, Application: application}
	for i, l := range p.links {
		face := capture.Interface{Link: l}
		if i == 0 {
			face.Snaplen = p.snaplen
		}
		o.Interfaces = append(o.Interfaces, face)
	}
	w, err := capture.NewWriter(&out, o)
	if err != nil {
		return nil, err
	}
	for _, at := range places {
		if err := w.Write(&p.list[at].record); err != nil {
			return nil, err
		}
	}
	err = w.Flush()
	return out.Bytes(), err
}
