package wire

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// Config is one connection.
type Config struct {
	Talk tracegen.Talk
	A, B netip.AddrPort // addresses of the end that connects and of the other; port 0: any
	// Paths are what the network does to what A and B send, without a relay: the
	// near segments before the wire, the far ones after it.
	Paths [2]sim.Path
	Relay *Relay // nil: the ends send to each other
	Seed  uint64
	MTU   int           // of the wire; 0: all datagrams fit, as on loopback
	Limit time.Duration // end of a connection that does not end; 0: a minute
	// Listen opens the sockets of A and B where not nil.
	Listen [2]Listener
}

// A Relay forwards between A and B with sockets of its own. What it loses, doubles
// and delays follows from Config.Seed.
type Relay struct {
	A, B netip.AddrPort // where A and B find it; port 0: any
	// From is what it does to what A and B send.
	From   [2]sim.Segment
	Leg    int // which leg is captured: 0 between A and the relay, 1 between it and B
	Listen Listener
}

// Truth is what is true of a capture of a connection.
type Truth struct {
	*tracegen.Truth
	A      netip.AddrPort `json:"a_address"`
	B      netip.AddrPort `json:"b_address"`
	RelayA netip.AddrPort `json:"relay_a_address,omitzero"` // where A finds B
	RelayB netip.AddrPort `json:"relay_b_address,omitzero"` // where B finds A
	Said   [2]bool        `json:"said"`                     // A and B said all and know that it arrived
	Over   bool           `json:"over"`                     // both ended the connection, or gave up
	Sides  [2]SideTruth   `json:"sides"`                    // A and B
	// Lost are datagrams the system lost between two sockets of this process, Strays
	// those that came from elsewhere. With either, the rest may be wrong.
	Lost   int     `json:"lost_by_system"`
	Strays int     `json:"strays"`
	Lag    float64 `json:"behind_seconds"` // the most the endpoints' clock lagged: this machine was too busy
}

// SideTruth is what became of what one end sent, wherever it was captured.
type SideTruth struct {
	Sent      int                `json:"sent"`  // datagrams
	Bytes     int                `json:"bytes"` // of their payloads
	Dropped   int                `json:"dropped"`
	Doubled   int                `json:"doubled"`
	Overtaken int                `json:"overtaken"` // arrived after a datagram sent later
	Datagrams []tracegen.Passage `json:"datagrams"`
}

// defaultLimit ends what does not end by itself.
const defaultLimit = time.Minute

// Play plays a connection. It returns when both ends are done, at the limit, or
// with the context's error; the sockets are closed then.
func Play(ctx context.Context, c Config) (*Truth, error) {
	if c.Relay != nil && c.Paths != [2]sim.Path{} {
		return nil, errors.New("a relay and paths: what is lost is told by one of them")
	}
	p := &play{Config: c, loop: newLoop(0)}
	defer p.closeAll()
	if err := p.open(); err != nil {
		return nil, err
	}
	return p.run(ctx)
}

// A play is a connection at play.
type play struct {
	Config
	loop    *loop
	sockets []*socket
	ends    [2]*socket
	faces   [2]*socket // of the relay, towards A and B
	pair    pair
}

// room is the largest datagram.
const room = 1 << 16

// open opens the sockets and lays tracks between them.
func (p *play) open() error {
	add := func(listen Listener, addr netip.AddrPort) (*socket, error) {
		s, err := p.loop.open(listen, addr, room)
		if err == nil {
			p.sockets = append(p.sockets, s)
		}
		return s, err
	}
	for i, addr := range []netip.AddrPort{p.A, p.B} {
		var err error
		if p.ends[i], err = add(p.Listen[i], addr); err != nil {
			return err
		}
	}
	if p.Relay == nil {
		for i := range p.ends {
			p.pair.tracks[i][sim.Pass] = p.loop.lay(p.ends[i], p.ends[1-i])
		}
		return nil
	}
	for i, addr := range []netip.AddrPort{p.Relay.A, p.Relay.B} {
		var err error
		if p.faces[i], err = add(p.Relay.Listen, addr); err != nil {
			return err
		}
	}
	return p.layRelay()
}

// layRelay lays the tracks of both legs: of each direction one passes the capture.
func (p *play) layRelay() error {
	leg := p.Relay.Leg
	if leg != 0 && leg != 1 {
		return fmt.Errorf("leg %d of a relay: want 0 or 1", leg)
	}
	for side := range p.ends {
		first, second := sim.Pass, sim.Enter
		if side != leg {
			first, second = sim.Leave, sim.Pass
		}
		p.pair.tracks[side][first] = p.loop.lay(p.ends[side], p.faces[side])
		p.pair.tracks[side][second] = p.loop.lay(p.faces[1-side], p.ends[1-side])
	}
	return nil
}

// setup is what the truthWatch knows of the network.
func (p *play) setup() tracegen.Setup {
	s := tracegen.Setup{Paths: p.Paths, MTU: p.MTU}
	if s.MTU == 0 {
		s.MTU = room
	}
	seen := p.ends
	if p.Relay != nil {
		seen[1-p.Relay.Leg] = p.faces[p.Relay.Leg]
		for side, does := range p.Relay.From {
			if side == p.Relay.Leg {
				s.Paths[side].Far = does
			} else {
				s.Paths[side].Near = does
			}
		}
	}
	for i := range s.Addrs {
		s.Addrs[i] = seen[i].addr.String()
	}
	return s
}

// settling is how long what is late may still come when both ends are done.
const settling = 200 * time.Millisecond

// run plays until both ends are done.
func (p *play) run(ctx context.Context) (*Truth, error) {
	s := p.setup()
	var err error
	if p.pair.live, err = p.Talk.Live(s, p.Seed, &p.loop.clock, p.pair.carry); err != nil {
		return nil, err
	}
	limit, wait, over := p.Limit, settling+longest(s.Paths), time.Duration(-1)
	if limit == 0 {
		limit = defaultLimit
	}
	err = p.loop.run(ctx, func() bool {
		now := p.loop.clock.Now()
		if over < 0 && p.pair.live.Over() {
			over = now
		}
		return now >= limit || over >= 0 && now >= over+wait
	})
	if err != nil {
		return nil, err
	}
	return p.truth(), nil
}

// longest is the longest way of a datagram.
func longest(paths [2]sim.Path) (d time.Duration) {
	for _, p := range paths {
		way := time.Duration(0)
		for _, s := range []sim.Segment{p.Near, p.Far} {
			way += s.Delay + s.Jitter + s.LateBy
		}
		d = max(d, way)
	}
	return d
}

func (p *play) truth() *Truth {
	out := &Truth{A: p.ends[0].addr, B: p.ends[1].addr, Said: p.pair.live.Said(), Over: p.pair.live.Over()}
	if p.Relay != nil {
		out.RelayA, out.RelayB = p.faces[0].addr, p.faces[1].addr
	}
	out.Lost = p.pair.close(p.loop)
	out.Truth, out.Strays, out.Lag = p.pair.live.Truth(), p.loop.strays, p.loop.mostLag.Seconds()
	for i, all := range p.pair.live.Passages() {
		out.Sides[i] = sideOf(all)
	}
	return out
}

func sideOf(all []tracegen.Passage) SideTruth {
	s := SideTruth{Sent: len(all), Datagrams: all}
	latest := time.Duration(-1)
	for _, x := range all {
		s.Bytes += x.Bytes
		switch len(x.Arrived) {
		case 0:
			s.Dropped++
			continue
		case 1:
		default:
			s.Doubled++
		}
		if x.Arrived[0] < latest {
			s.Overtaken++
		}
		latest = max(latest, x.Arrived[0])
	}
	return s
}

func (p *play) closeAll() {
	for _, s := range p.sockets {
		s.close()
	}
}
