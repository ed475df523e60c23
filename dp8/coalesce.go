package dp8

import "github.com/dpdissect/dpdissect/dissect"

// MaxParts is the largest number of payloads in one frame (MC-DPL8R 2.2.3).
const MaxParts = 32

// A Coalesce is the content of a data frame with CtlCoalesce: up to 32 headers
// of two bytes, padded to 32 bits, then the payloads, each but the last padded
// to 32 bits (MC-DPL8R 2.2.3).
//
//	+---------------+---------------+---------------+---------------+
//	|     bSize     |   bCommand    |    bSize 2    |  bCommand 2   |  …
//	+---------------+---------------+---------------+---------------+
//	|  payload, zero bytes up to a multiple of 4, payload 2, …      |
type Coalesce struct {
	N         int // parts that were decoded whole
	Parts     [MaxParts]Part
	HeaderPad [2]byte // after an odd number of headers
	Trailing  []byte  // after the last payload
}

// A Part is one coalesced payload.
type Part struct {
	Command uint8 // PartReliable, PartSequential, …; the size bits included
	Size    int   // 0–2047, without padding
	Data    []byte
	Pad     [3]byte // the first (4-Size%4)%4 bytes count
}

func (p *Part) Padding() int { return -p.Size & 3 }

func (c *Coalesce) decode(r *dissect.Reader) {
	c.N, c.Trailing, c.HeaderPad = 0, nil, [2]byte{}
	start := r.Pos()
	headers := c.readHeaders(r)
	// Payloads are aligned to the start of the headers (AMB-DP8-26).
	if headers&1 != 0 && r.OK() {
		copy(c.HeaderPad[:], r.Bytes(&Fields[FHeaderPad], 2))
	}
	// After a failure the headers that were read still own their bytes.
	for i := range headers {
		c.readPart(r, i, start+2*i, i == headers-1)
	}
	c.Trailing = r.Rest(&Fields[fTrailing])
}

// readHeaders reads up to the header with PartEnd and gives the number read.
func (c *Coalesce) readHeaders(r *dissect.Reader) int {
	for n := range MaxParts {
		h := r.Peek(2)
		if h == nil {
			r.Fail(&Fields[FPartSize], "no coalesce header ends the list")
			return n
		}
		p := &c.Parts[n]
		p.Command = h[1]
		// MC-DPL8R 2.2.3: (bCommand & 0x38) << 5 gives the three upper bits.
		p.Size = int(h[0]) | int(h[1]&PartBig)<<5
		r.Skip(&Fields[FPartSize], 2)
		if p.Command&PartEnd != 0 {
			return n + 1
		}
	}
	r.Fail(&Fields[FPartSize], "more than 32 coalesce headers")
	return MaxParts
}

// readPart reads payload i, whose header stands at byte header.
func (c *Coalesce) readPart(r *dissect.Reader, i, header int, last bool) {
	p := &c.Parts[i]
	t := r.Tree()
	t.Open(&Fields[fPayloads], header, 0)
	t.Add(&Fields[FPartSize], header, 1, uint64(p.Size))
	t.Add(&Fields[fPartCommand], header+1, 1, uint64(p.Command))
	if p.Data = r.Bytes(&Fields[FPartData], p.Size); r.OK() {
		c.N++
		if t != nil && p.Command&PartUser1 != 0 {
			addCore(r, p.Data)
		}
	}
	p.Pad = [3]byte{}
	if n := p.Padding(); n > 0 && !last {
		copy(p.Pad[:], r.Bytes(&Fields[FPartPad], n))
	}
	t.Close()
}

// Reliable reports whether the part is sent again until acknowledged.
func (p *Part) Reliable() bool { return p.Command&PartReliable != 0 }

// Sequential reports whether the part is delivered in order.
func (p *Part) Sequential() bool { return p.Command&PartSequential != 0 }

// SetSize stores a size of 0–2047 bytes and its upper bits in Command.
func (p *Part) SetSize(n int) {
	p.Size = n
	p.Command = p.Command&^PartBig | uint8(n>>5)&PartBig
}

// Append encodes the coalesced payloads after b. The last part must carry
// PartEnd.
func (c *Coalesce) Append(b []byte) []byte {
	for i := range c.Parts[:c.N] {
		b = append(b, byte(c.Parts[i].Size), c.Parts[i].Command)
	}
	if c.N&1 != 0 {
		b = append(b, c.HeaderPad[:]...)
	}
	for i := range c.Parts[:c.N] {
		p := &c.Parts[i]
		b = append(b, p.Data...)
		if i < c.N-1 {
			b = append(b, p.Pad[:p.Padding()]...)
		}
	}
	return append(b, c.Trailing...)
}
