package compare

import "github.com/dpdissect/dpdissect/dissect"

// words0 are the types and summaries of the datagrams of a shard, one after the other.
type words0 struct {
	text  []byte
	types []string
	ends  []uint32
}

func (w *words0) add(fr *dissect.Frame) {
	w.text = append(w.text, fr.Summary...)
	w.types, w.ends = append(w.types, fr.Type), append(w.ends, uint32(len(w.text)))
}

// words are those of a capture.
type words struct {
	from []*words0
	at   []uint32
}

func newWords(n int) *words { return &words{from: make([]*words0, n), at: make([]uint32, n)} }

func (w *words) put(i int, from *words0, k int) { w.from[i], w.at[i] = from, uint32(k) }

// of gives type and summary of a datagram.
func (w *words) of(i int) (kind string, summary []byte) {
	f, k := w.from[i], w.at[i]
	begin := uint32(0)
	if k > 0 {
		begin = f.ends[k-1]
	}
	return f.types[k], f.text[begin:f.ends[k]]
}
