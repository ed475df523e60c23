package track

import (
	"bytes"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

func newPair(f *session.Flow, learned *probe, judge func() Judge) *pair {
	p := &pair{flow: f, judge: judge, learned: learned, params: knet.Params{Dialect: knet.Reference}}
	p.d = &f.Room(func() any { return new(room) }).(*room).d
	if learned != nil {
		p.params, p.decided = learned.learned()
		p.told, p.made = learned.firm, learned.made
	}
	if forced := knet.ParseDialect(f.Dialect()); forced != knet.DialectUnknown {
		if p.params.Dialect != forced {
			p.params.IDs = knet.IDsUnknown
		}
		p.params.Dialect, p.decided, p.forced = forced, true, true
	}
	return p
}

// Input implements session.Session.
func (p *pair) Input(fr *dissect.Frame) *session.Conn {
	err := p.decode(fr)
	fr.Type = p.d.Type.String()
	c := p.find(fr, err)
	c.input(fr, p.d, err)
	c.Frame, c.Datagram = nil, nil
	if p.flow.Wants().Summaries {
		fr.Summary = c.pong.appendTo(knet.AppendPartialSummary(fr.Summary, p.d, err))
	}
	return c.c
}

// decode reads a datagram, as the connect datagram where it is one.
func (p *pair) decode(fr *dissect.Frame) *dissect.Error {
	if p.params.Dialect == knet.Reference && p.isConnect(fr) {
		return p.decodeConnect(fr)
	}
	if !p.decided {
		p.decide(fr)
	}
	if !p.forced && p.told[0]+p.told[1] < enoughTold {
		p.weigh(fr)
	}
	if p.wordFirst && len(p.conns) > 0 {
		c := p.newest()
		p.params = p.reads(c, c.c.DirOf(fr.Datagram))
	}
	if p.laid != p.params {
		p.laid, p.layout = p.params, layoutOf(p.params)
	}
	fr.Layout = p.layout
	err := p.d.Decode(fr.Payload, p.params, fr.Tree)
	if err != nil && p.params.Dialect == knet.Reference && !fr.Cut() && p.opensAgain(fr) {
		if fr.Tree != nil {
			fr.Tree.Reset(fr.Payload)
		}
		return p.decodeConnect(fr)
	}
	if err == nil && p.idsOpen() {
		if params, other := p.vote(fr); other {
			if fr.Tree != nil {
				fr.Tree.Reset(fr.Payload)
			}
			fr.Layout = layoutOf(params)
			err = p.d.Decode(fr.Payload, params, fr.Tree)
		}
	}
	return err
}

func (p *pair) decodeConnect(fr *dissect.Frame) *dissect.Error {
	fr.Layout = dissect.Layout{Dialect: knet.Reference.String()}
	return p.d.DecodeConnect(fr.Payload, fr.Tree)
}

// layoutOf is what a datagram is decoded by.
func layoutOf(p knet.Params) dissect.Layout {
	l := dissect.Layout{Dialect: p.Dialect.String()}
	switch p.IDs {
	case knet.IDsFromZero:
		l.IDs = dissect.IDsFromZero
	case knet.IDsFromOne:
		l.IDs = dissect.IDsFromOne
	}
	switch {
	case p.Dialect != knet.Spec:
	case p.WordFirst:
		l.AckBits = dissect.WordFirst
	default:
		l.AckBits = dissect.ByteFirst
	}
	return l
}

// isConnect reports a connect datagram that its bytes, or what was learned, give
// away without reading it.
func (p *pair) isConnect(fr *dissect.Frame) bool {
	b := fr.Payload
	if len(b) > 0 && b[0] == 0 && knet.IsConnect(b) {
		return true
	}
	if len(p.conns) == 0 {
		return p.learned != nil && p.learned.connected(fr.Frame)
	}
	for _, o := range p.openers {
		if bytes.Equal(o, b) {
			return true
		}
	}
	return false
}

// opensAgain reports whether a datagram that is none may be a connect datagram
// with content of the application: nothing else is expected there.
func (p *pair) opensAgain(fr *dissect.Frame) bool {
	if len(p.conns) == 0 {
		return p.learned == nil || p.learned.seen == 0
	}
	c := p.newest()
	dir := c.c.DirOf(fr.Datagram)
	return !c.c.Damaged(fr.Datagram) && c.life.over() && (c.client < 0 || c.client == dir)
}

// find gives the connection a datagram belongs to, new when it starts one.
func (p *pair) find(fr *dissect.Frame, err *dissect.Error) *conn {
	switch {
	case len(p.conns) == 0:
		return p.open(fr, false)
	case err != nil || fr.BadChecksum && p.newest().c.Damaged(fr.Datagram):
		return p.newest()
	}
	c := p.newest()
	dir := c.c.DirOf(fr.Datagram)
	if p.d.Type == knet.TypeConnect {
		if c.mayReconnect(fr, dir) {
			return p.open(fr, true)
		}
		return c
	}
	if len(p.conns) > 1 {
		if old := p.conns[len(p.conns)-2]; old.claims(fr, p.d, c) {
			return old
		}
	}
	if c.restarts(fr, p.d, dir) {
		return p.open(fr, true)
	}
	return c
}

// open starts a connection with the frame; reopened says that the capture shows that
// one begins.
func (p *pair) open(fr *dissect.Frame, reopened bool) *conn {
	if n := len(p.conns); n > 1 {
		p.conns[n-2].finish(p.conns[n-1].c.LastTime)
		p.flow.LetGo(p.conns[n-2].c)
		p.conns = p.conns[n-1:]
	}
	c := newConn(p, fr)
	p.conns = append(p.conns, c)
	if reopened {
		p.votes, p.voted, p.doubt = 0, [2]seq.Num{}, true
		fr.Words |= dissect.NewConnection
		c.began()
	}
	if p.d.Type == knet.TypeConnect && len(p.openers) < maxOpeners && len(fr.Payload) <= maxOpener {
		p.openers = append(p.openers, bytes.Clone(fr.Payload))
	}
	return c
}

// Unreachable implements session.Session.
func (p *pair) Unreachable(d *dissect.Datagram) {
	if len(p.conns) > 0 {
		c := p.newest()
		gone := c.c.DirOf(d).Other()
		c.life.unreachable(gone, c.c.Dir[gone].Frames > 0, d.Time)
	}
}

// Sweep implements session.Session.
func (p *pair) Sweep(now int64) {
	for _, c := range p.conns {
		if c.life.over() && now-c.c.LastTime > p.flow.Rest() {
			c.finish(now)
		}
	}
}

// Compact implements session.Compacter.
func (p *pair) Compact() {
	for _, c := range p.conns {
		if c.judge != nil {
			c.judge.Compact()
		}
		c.c.Compact()
	}
}

// Close implements session.Session.
func (p *pair) Close(end int64) {
	for _, c := range p.conns {
		c.finish(end)
	}
	p.conns = nil
}
