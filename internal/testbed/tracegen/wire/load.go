package wire

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// LoadConfig is many connections at a time.
type LoadConfig struct {
	Kinds    []string   // of tracegen.TalkKinds
	Addr     netip.Addr // of all sockets
	Port     uint16     // of the server of the first kind, the others above; 0: any
	Pairs    int        // connections of each kind at a time
	Duration time.Duration
	// Churn is the mean time a connection lasts; 0: as long as the run. Then
	// another takes its place, with a new port.
	Churn    time.Duration
	Vanish   float64 // share that ends without a word
	Messages float64 // each side says so many a second; 0: DefaultMessages
	Path     sim.Path
	Seed     uint64
	// Listen opens the sockets of clients and servers where not nil.
	Listen [2]Listener
}

// DefaultMessages makes 10 to 20 datagrams a second and connection, with all that
// protocols add to what is said.
const DefaultMessages = 4

// Times of a load.
const (
	loadResolution = 2 * time.Millisecond   // of the loop; it is part of round trips
	loadLook       = 250 * time.Millisecond // how often a connection is looked at
	loadLinger     = time.Second            // what is late may still come
	loadGrace      = 20 * time.Second       // for who is left alone, before it is taken away
	loadRamp       = 3 * time.Second        // in which the first ones begin
	loadRoom       = 2048                   // of a datagram
)

// Load plays connections until Duration has passed, and cuts those that are left.
// All clients speak to one server socket for each kind, as real ones do.
func Load(ctx context.Context, c LoadConfig) (*Totals, error) {
	if c.Pairs < 1 || len(c.Kinds) == 0 || c.Duration <= 0 {
		return nil, errors.New("a load needs kinds, pairs and a duration")
	}
	if c.Messages == 0 {
		c.Messages = DefaultMessages
	}
	l := &load{LoadConfig: c, loop: newLoop(loadResolution), rand: rand.New(rand.NewPCG(c.Seed, 5)), live: map[*guest]bool{}, port: uint16(firstPort + rand.IntN(lastPort-firstPort))}
	l.totals.Seed, l.totals.Kinds = c.Seed, map[string]*Sum{}
	defer l.closeAll()
	for i, kind := range c.Kinds {
		if err := l.serve(i, kind); err != nil {
			return nil, err
		}
	}
	err := l.loop.run(ctx, func() bool { return l.loop.clock.Now() >= c.Duration })
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	return l.finish()
}

// A load is connections at play.
type load struct {
	LoadConfig
	loop    *loop
	rand    *rand.Rand
	servers []*socket
	live    map[*guest]bool
	port    uint16 // of the latest client
	ended   bool   // nobody comes or goes any more
	totals  Totals
}

// A guest is one connection, with its client's socket.
type guest struct {
	pair
	kind   string
	socket *socket
	leave  time.Duration // when its applications fall silent
	vanish bool
	heir   bool          // another came in its place
	over   time.Duration // when both ends were done; 0 before
	how    string        // it ended, "" before
}

// serve opens the server of a kind and lets its clients come.
func (l *load) serve(i int, kind string) error {
	addr := netip.AddrPortFrom(l.Addr, 0)
	if l.Port > 0 {
		addr = netip.AddrPortFrom(l.Addr, l.Port+uint16(i))
	}
	s, err := l.loop.open(l.Listen[1], addr, loadRoom)
	if err != nil {
		return err
	}
	l.servers = append(l.servers, s)
	l.totals.Kinds[kind] = &Sum{Server: s.addr, Ends: map[string]int{}}
	for range l.Pairs {
		l.loop.clock.Do(time.Duration(l.rand.Int64N(int64(min(loadRamp, l.Duration)))), func() { l.enter(kind, s, true) })
	}
	return nil
}

// enter starts a connection.
func (l *load) enter(kind string, server *socket, first bool) {
	if l.ended {
		return
	}
	client, err := l.client()
	if err != nil {
		l.loop.fail(err)
		return
	}
	g := &guest{kind: kind, socket: client, vanish: l.rand.Float64() < l.Vanish, leave: l.Duration}
	talk := tracegen.Talk{Kind: kind, Vanish: g.vanish}
	if l.Churn > 0 {
		talk.Until = l.life(first)
		g.leave = l.loop.clock.Now() + talk.Until
	}
	for i := range talk.Traffic {
		talk.Traffic[i] = tracegen.SmallTalk(l.Messages)
	}
	g.tracks[0][sim.Pass], g.tracks[1][sim.Pass] = l.loop.lay(client, server), l.loop.lay(server, client)
	s := tracegen.Setup{Paths: [2]sim.Path{l.Path, l.Path}, MTU: room, Compact: true, Addrs: [2]string{client.addr.String(), server.addr.String()}}
	if g.live, err = talk.Live(s, l.rand.Uint64(), &l.loop.clock, g.carry); err != nil {
		l.loop.fail(err)
		return
	}
	l.live[g] = true
	l.totals.Kinds[kind].Opened++
	l.totals.Peak = max(l.totals.Peak, len(l.live))
	l.look(g, server)
}

// Ports of clients: each takes the next one that is free, so that one comes again
// as late as possible.
const (
	firstPort = 20000
	lastPort  = 65000
	portTries = 200
)

// client opens the socket of the next client.
func (l *load) client() (s *socket, err error) {
	for range portTries {
		if l.port++; l.port < firstPort || l.port > lastPort {
			l.port = firstPort
		}
		if s, err = l.loop.open(l.Listen[0], netip.AddrPortFrom(l.Addr, l.port), loadRoom); err == nil {
			return s, nil
		}
	}
	return nil, err
}

// life is how long a connection lasts: half to one and a half of the mean; the
// first ones are of any age already, so that they do not end all at once.
func (l *load) life(first bool) time.Duration {
	d := l.Churn/2 + time.Duration(l.rand.Int64N(int64(l.Churn)))
	if first {
		d = time.Duration(l.rand.Int64N(int64(d)))
	}
	return max(d, time.Second)
}

// look takes a connection away that is over, and lets another come when its
// applications have fallen silent.
func (l *load) look(g *guest, server *socket) {
	now := l.loop.clock.Now()
	if l.ended {
		return
	}
	if g.over == 0 && g.live.Over() {
		g.over = now
	}
	if now >= g.leave && !g.heir {
		g.heir = true
		l.enter(g.kind, server, false)
	}
	if over := g.over > 0 && now >= g.over+loadLinger; over || now >= g.leave+loadGrace {
		l.finishOff(g)
		l.loop.clock.Do(loadLook, func() {
			if !l.ended {
				l.depart(g)
			}
		})
		return
	}
	l.loop.clock.Do(loadLook, func() { l.look(g, server) })
}

// finishOff ends both processes of a connection. What is on its way still arrives.
func (l *load) finishOff(g *guest) {
	if g.how == "" {
		g.how = g.end(l.loop.clock.Now())
		g.live.Kill()
	}
}

// end says how a connection ended that is taken away now.
func (g *guest) end(now time.Duration) string {
	switch {
	case g.vanish && now >= g.leave:
		return Vanished
	case g.live.Over():
		return Closed
	case now >= g.leave+loadGrace:
		return Abandoned
	}
	return Cut
}

// depart takes a connection away and adds it up.
func (l *load) depart(g *guest) {
	l.totals.LostBySystem += g.close(l.loop)
	g.socket.close()
	delete(l.live, g)
	sum := l.totals.Kinds[g.kind]
	sum.Ends[g.how]++
	sum.count(g.live)
}

// finish cuts what is left, lets what is on its way arrive, and adds all up.
func (l *load) finish() (*Totals, error) {
	l.ended = true
	l.totals.Seconds = l.loop.clock.Now().Seconds()
	for g := range l.live {
		l.finishOff(g)
	}
	end := l.loop.clock.Now() + settling + longest([2]sim.Path{l.Path})
	if err := l.loop.run(context.Background(), func() bool { return l.loop.clock.Now() >= end }); err != nil {
		return nil, err
	}
	for g := range l.live {
		l.depart(g)
	}
	l.totals.Strays, l.totals.Lag = l.loop.strays, l.loop.mostLag.Seconds()
	l.totals.Still = time.Duration(l.loop.still.Load()).Seconds()
	l.totals.All.Ends = map[string]int{}
	for _, s := range l.totals.Kinds {
		l.totals.All.add(s)
	}
	return &l.totals, nil
}

func (l *load) closeAll() {
	for g := range l.live {
		g.socket.close()
	}
	for _, s := range l.servers {
		s.close()
	}
}
