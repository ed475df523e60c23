package knet

import "github.com/dpdissect/dpdissect/dissect"

// MaxDependencies is how many messages of others a datagram of Spec can name:
// the count is one byte, although the page speaks of 256 (AMB-KN-07).
const MaxDependencies = 255

// A Dependency is a message that messages of a datagram of Spec may depend on.
// Both numbers are VLE-1.7/8; a Size is the bytes one has on the wire, 0 for the
// shortest.
type Dependency struct {
	Delta     uint16 // its PacketID is that of the datagram, less Delta, less one
	Index     uint16 // which message of that datagram, from 0
	DeltaSize uint8
	IndexSize uint8
}

// PacketID is the datagram a dependency names, as seen from the one with the
// given PacketID.
func (x *Dependency) PacketID(from uint32) uint32 { return (from - uint32(x.Delta) - 1) & PacketIDMask }

// Depend sets what messages of the datagram may depend on.
func (d *Datagram) Depend(on ...Dependency) {
	d.InOrder = true
	d.Depends = copy(d.Dependencies[:], on)
}

// readDependencies reads both arrays. The tree shows them joined, although all
// deltas stand before all indexes.
func (d *Datagram) readDependencies(r *dissect.Reader) {
	t := r.Tree()
	countAt := r.Pos()
	n := int(r.U8(&Fields[FDependencyCount]))
	start := 0
	if t != nil {
		start = len(t.Nodes)
	}
	for range n {
		v := readVLE15(r, &Fields[FDependencyDelta])
		if !r.OK() {
			break
		}
		d.Dependencies[d.Depends] = Dependency{Delta: uint16(v.Value), DeltaSize: v.Size}
		d.Depends++
	}
	for i := range d.Depends {
		v := readVLE15(r, &Fields[FDependencyMessage])
		d.Dependencies[i].Index, d.Dependencies[i].IndexSize = uint16(v.Value), v.Size
	}
	if t != nil {
		d.joinDependencies(t, start)
		if r.OK() && n > 0 {
			d.addDependsOn(t, countAt)
		}
	}
}

// joinDependencies puts the deltas and indexes that were recorded from node
// start on into pairs.
func (d *Datagram) joinDependencies(t *dissect.Tree, start int) {
	var nodes [2 * MaxDependencies]dissect.Node
	all := nodes[:copy(nodes[:], t.Nodes[start:])]
	deltas := all[:min(d.Depends, len(all))]
	indexes := all[len(deltas):]
	t.Nodes = t.Nodes[:start]
	for i, x := range deltas {
		t.Open(&Fields[fDependencies], x.Off, 0)
		t.Add(x.Field, x.Off, x.Len, x.Val)
		t.Add(&Fields[fDependencyPacket], x.Off, 0, uint64(d.Dependencies[i].PacketID(d.PacketID)))
		if i < len(indexes) {
			t.Add(indexes[i].Field, indexes[i].Off, indexes[i].Len, indexes[i].Val)
		}
		t.Close()
	}
}

func (d *Datagram) addDependsOn(t *dissect.Tree, off int) {
	var ids [MaxDependencies]int64
	for i := range d.Depends {
		ids[i] = int64(d.Dependencies[i].PacketID(d.PacketID))
	}
	t.AddIDs(&Fields[fDependsOn], off, ids[:d.Depends])
}

func (d *Datagram) appendDependencies(b []byte) []byte {
	b = append(b, byte(d.Depends))
	for _, x := range d.Dependencies[:d.Depends] {
		b = VLE{uint32(x.Delta), x.DeltaSize}.append15(b)
	}
	for _, x := range d.Dependencies[:d.Depends] {
		b = VLE{uint32(x.Index), x.IndexSize}.append15(b)
	}
	return b
}

// readOrder reads the indexes of a message of Spec with code 6 or 7 and records
// what the message depends on.
func (m *Message) readOrder(r *dissect.Reader, d *Datagram) {
	at := r.Pos()
	switch m.Code() {
	case 6:
		m.Indexes = r.Peek(1)
		r.U8(&Fields[FIndex])
	case 7:
		n := r.U8(&Fields[FIndexCount])
		if n > 0 {
			m.Indexes = r.Bytes(&Fields[FIndexes], int(n))
		}
	}
	if t := r.Tree(); t != nil && r.OK() && m.Code() != 0 {
		m.addDependsOn(t, d, at)
	}
}

// DependsOn gives the dependencies of a message of the datagram, one by one: the
// i-th, and false after the last. An index that names none is nil.
func (m *Message) DependsOn(d *Datagram, i int) (x *Dependency, ok bool) {
	at := -1
	switch c := int(m.Code()); {
	case c == 0:
		return nil, false
	case c < 6:
		if i > 0 {
			return nil, false
		}
		at = c - 1
	case i < len(m.Indexes):
		at = int(m.Indexes[i])
	default:
		return nil, false
	}
	if at >= d.Depends {
		return nil, true
	}
	return &d.Dependencies[at], true
}

func (m *Message) addDependsOn(t *dissect.Tree, d *Datagram, off int) {
	var packets, messages [MaxDependencies]int64
	n := 0
	for i := 0; ; i++ {
		x, ok := m.DependsOn(d, i)
		if !ok {
			break
		}
		if x != nil {
			packets[n], messages[n] = int64(x.PacketID(d.PacketID)), int64(x.Index)
			n++
		}
	}
	t.AddIDs(&Fields[fMessageDependsOn], off, packets[:n])
	t.AddIDs(&Fields[fMessageDependsOnMessages], off, messages[:n])
}
