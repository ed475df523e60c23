package redact

// fragments are the packets that wait to be written in their order: those after a fragment
// whose datagram is not complete yet wait with it.
type fragments struct {
	list  []*packet
	bytes int
	of    map[uint64][]*packet // fragments that wait, by datagram
	ended []*packet            // that ended datagrams lately: further copies of fragments may come
	kept  int                  // bytes of these
}

// mostKept is how many bytes of datagrams are remembered that were put together.
const mostKept = 4 << 20

func (f *fragments) wait(p *packet) {
	f.list = append(f.list, p)
	f.bytes += len(p.record.Data)
	if p.part != 0 {
		if f.of == nil {
			f.of = map[uint64][]*packet{}
		}
		f.of[p.part] = append(f.of[p.part], p)
	}
}

// whole gives the fragments of a datagram that a packet ended, which is remembered.
func (f *fragments) whole(p *packet) []*packet {
	f.ended = append(f.ended, p)
	for f.kept += p.size(); f.kept > mostKept && len(f.ended) > 1; f.ended = f.ended[1:] {
		f.kept -= f.ended[0].size()
	}
	return f.of[p.part]
}

// size is how much memory a packet takes, about.
func (p *packet) size() int { return len(p.record.Data) + len(p.before) + len(p.body) + 512 }

// done is the packet that ended a datagram, nil where none did lately.
func (f *fragments) done(part uint64) *packet {
	for i := len(f.ended) - 1; i >= 0; i-- {
		if f.ended[i].part == part {
			return f.ended[i]
		}
	}
	return nil
}

// full reports that the first packet waits no longer.
func (f *fragments) full() bool { return f.bytes > room && !f.list[0].ready }

// next takes the first packet.
func (f *fragments) next() *packet {
	p := f.list[0]
	f.list = f.list[1:]
	f.bytes -= len(p.record.Data)
	if p.part != 0 {
		if of := f.of[p.part]; len(of) > 1 {
			f.of[p.part] = of[1:]
		} else {
			delete(f.of, p.part)
		}
	}
	return p
}
