package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session/seq"
)

// What the Windows product does, for captures said to be of it (MC-DPL4R
// appendix A).
const (
	productPackets = 24   // packets from one SAK to the next
	productTime    = 50e6 // ns from one SAK to the next on what is reliable or unfinished
)

// A product is what is remembered of a side to compare it with Windows.
type product struct {
	known   bool // a SAK was captured, and all packets since
	packets int  // since that
	top     seq.Num
	sakAt   int64
}

// judgeProduct: the Windows product sends neither NACKs nor extended flags
// (appendix A <2>, <3>, <5>).
func (j *judge) judgeProduct(dir dissect.Dir) {
	rules, f := &j.c.Rules, j.Packet
	if !rules.Check(r222ExtProduct, f.Flags&dp4.EXT == 0) {
		rules.Broken(r222ExtProduct, fmt.Sprintf("flags 0x%02x: Windows never sets EXT", uint8(f.Flags)))
	}
	if f.Type != dp4.TypeData && !rules.Check(r223Product, f.Type == dp4.TypeACK) {
		rules.Broken(r223Product, "a NACK, which Windows does not send")
	}
}

// judgeSAK: when Windows asks for an acknowledgement (appendix A <8>).
func (j *judge) judgeSAK(dir dissect.Dir, num seq.Num, retry bool) {
	rules, f, p := &j.c.Rules, j.Packet, &j.side[dir].product
	asks := f.Flags&dp4.SAK != 0
	if retry && !rules.Check(r3152SakProductRetry, asks) {
		rules.Broken(r3152SakProductRetry, "a packet is sent again without SAK")
	}
	if retry && !asks {
		return
	}
	if p.known && !retry && num != p.top+1 {
		p.known = false
	}
	p.top = max(p.top, num)
	if asks {
		*p = product{known: true, top: p.top, sakAt: j.Frame.Time}
		return
	}
	if !p.known {
		return
	}
	p.packets++
	if !rules.Check(r3152SakProduct24, p.packets <= productPackets) {
		rules.Broken(r3152SakProduct24, fmt.Sprintf("%d packets in a row without SAK", p.packets))
		p.known = false
	}
	if f.Flags&(dp4.EOM|dp4.RLY) != dp4.EOM && j.Frame.HasTime {
		j.judgeSAKTime(p)
	}
}

// judgeSAKTime compares with a quarter of the longest round trip the sender may
// have estimated, and twice the time, for the path shifts packets.
func (j *judge) judgeSAKTime(p *product) {
	rules, since := &j.c.Rules, j.Frame.Time-p.sakAt
	if !rules.Check(r3152SakProduct50ms, since <= max(2*productTime, j.roundTrip())) {
		rules.Broken(r3152SakProduct50ms, fmt.Sprintf("no SAK, although the last one was %d ms ago", since/1e6))
		p.sakAt = j.Frame.Time
	}
}

// roundTrip is the whole round trip as far as it was seen, in ns.
func (j *judge) roundTrip() int64 { return j.c.Dir[0].MinRTT() + j.c.Dir[1].MinRTT() }
