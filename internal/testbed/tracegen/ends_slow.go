package tracegen

import (
	"cmp"
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// slowEndings are … what makes sessions slow that go on.
var slowEndings = []ending{
	{name: "loss", what: "8% of the datagrams are lost in both directions.", kinds: "all !hazel-v01 !hazel-spec", must: "loss",
		play: func(c *cast) { c.worse(func(s *sim.Segment) { s.Loss = 0.04 }) }},
	{name: "burst", what: "20 datagrams of the client in a row are lost, three times.", kinds: "all !knet-spec !dp4", must: "loss-burst", mustBeyond: "loss-burst",
		play: func(c *cast) {
			for i := range 3 {
				c.lose(0, c.spot, since(c.when+time.Duration(3*i)*time.Second), times(20))
			}
		}},
	{name: "outage", what: "Nothing passes for 3 s; everything does afterwards.", kinds: "all !hazel-v01 !hazel-spec", must: "loss-burst", mustBeyond: "loss-burst",
		play: func(c *cast) { c.cut(c.spot, Pause{c.when, c.when + 3*time.Second}) }},
	{name: "delay", what: "The way holds everything back for 1.5 s and delivers it then.", kinds: "all !hazel-v01 !hazel-spec", must: "delay", mustBeyond: "delay", mustNot: nothingLost,
		play: func(c *cast) {
			p := Pause{c.when, c.when + 1500*time.Millisecond}
			c.hold(0, c.spot, p)
			c.hold(1, c.spot, p)
		}},
	{name: "bufferbloat", what: "The client's link carries 10,000 to 24,000 bytes a second, and its application sends twice as much for a while.", kinds: "hazel hazel-2019 knet knet-2010 dp8* dp4*",
		must: "bufferbloat", mustNot: nothingLost, play: bloat},
	{name: "window-stall", what: "The server's acknowledgements are held back for 1.2 s while the client sends as much as its window takes.", kinds: "dp8* dp4*",
		must: "window-stall", mustBeyond: nothing, mustNot: nothingLost, play: stalled},
	{name: "server-stalls", what: "The server's process stands still for 3 s; nothing is lost.", kinds: "all !hazel-v01 !hazel-spec", spot: 0.9, must: "delay", mustBeyond: "delay peer-stalled", mustNot: nothingLost,
		play: func(c *cast) { c.stall(1) }},
	{name: "client-stalls", what: "The client's process stands still for 3 s; nothing is lost.", kinds: "all !hazel-v01 !hazel-spec", spot: 0.1, must: "delay peer-stalled", mustBeyond: "delay", mustNot: nothingLost,
		play: func(c *cast) { c.stall(0) }},
	{name: "late-acks", what: "The server's library waits for 700 ms before it acknowledges.", kinds: "dp4*", spot: 0.9, must: "delay", mustBeyond: "late-acks", mustNot: nothingLost, play: func(*cast) {}},
	{name: "starved", what: "A filter on the way drops one message each time; the sender repeats it for ever.", kinds: "knet knet-2010", must: "unit-starved", mustBeyond: nothing,
		play: func(c *cast) { c.filter(marked, marker) }, open: 30 * time.Second},
	{name: "spurious", what: "The way takes 700 ms longer from one moment to the next and stays so.", kinds: "hazel* dp8*", must: "spurious-retries", mustNot: nothingLost,
		play: then(func(c *cast) { c.longer(350 * time.Millisecond) })},
	{name: "reordering", what: "10% of the datagrams come up to 90 ms late.", kinds: "all !knet-spec", must: "reordering", mustNot: nothingLost,
		play: func(c *cast) {
			c.worse(func(s *sim.Segment) { s.Late, s.LateBy = 0.05, 90*time.Millisecond })
			for i := range c.plans {
				c.plans[i].Every /= 2
			}
		}},
	{name: "starved-large", what: "Datagrams above 500 bytes do not arrive; the sender repeats one for ever.", kinds: "knet knet-2010", must: "unit-starved", mustBeyond: nothing,
		play: func(c *cast) {
			c.filter(func(d *sim.Datagram) bool { return len(d.Payload) > 500 }, make([]byte, 900))
		}, open: 30 * time.Second},
	{name: "copies", what: "5% of the datagrams arrive twice.", kinds: "all", must: "hidden-copies", mustNot: nothingLost,
		play: func(c *cast) { c.worse(func(s *sim.Segment) { s.Dup = 0.05 }) }},
	{name: "idle", what: "The client's application says nothing any more; its library keeps alive.", kinds: "hazel hazel-2019 knet*", must: "application-idle", mustNot: nothingLost,
		play: func(c *cast) { c.plans[0].Pauses = []Pause{since(c.when)} }, open: 35 * time.Second},
	{name: "skew", what: "Two captures are put together; the clock of one is behind by more than a round trip.", kinds: "all", must: "clock-skew", mustNot: nothingLost + " reordering",
		play: func(c *cast) { c.skew = -2*(c.Paths[0].Near.Delay+c.Paths[0].Far.Delay) - 150*time.Millisecond }},
}

// allEndings are both.
var allEndings = slices.Concat(endings, ongoing(slowEndings))

// ongoing are sessions that are open when the capture ends.
func ongoing(list []ending) []ending {
	for i := range list {
		e := &list[i]
		e.cause, e.open = "still-open", max(e.open, 14*time.Second)
		e.mustBeyond = cmp.Or(e.mustBeyond, e.must)
	}
	return list
}

// times matches so many datagrams.
func times(n int) func(*sim.Datagram) bool {
	return func(*sim.Datagram) bool {
		n--
		return n >= 0
	}
}

// worse changes all segments once the connection stands.
func (c *cast) worse(f func(*sim.Segment)) {
	c.At(max(c.when/2, c.when-3*time.Second), func() {
		c.Paths = each(c.Paths, f)
		for side, p := range c.Paths {
			c.Net.SetPath(side, p)
		}
	})
}

// longer makes each segment take longer, by its share of the way.
func (c *cast) longer(d time.Duration) {
	share := float64(d) / float64(c.Paths[0].Near.Delay+c.Paths[0].Far.Delay)
	c.Paths = each(c.Paths, func(s *sim.Segment) { s.Delay += time.Duration(share * float64(s.Delay)) })
	for side, p := range c.Paths {
		c.Net.SetPath(side, p)
	}
}

// flood lets side 0 say n messages of a size at once.
func (c *cast) flood(n, size int) {
	for range n {
		c.say(c.voices[0], c.text(size), true, true, 0)
	}
}

// bloat fills a queue on the way. Hazel, which knows no window, would fill it with retries
// until it gives up, so that less is enough for it.
func bloat(c *cast) {
	seconds, rate := 2*time.Second, 24000.0
	switch c.kind.port {
	case hazelPort:
		seconds = 400 * time.Millisecond
	case dp8Port: // its window stays small
		rate = 10000
	}
	c.queue(0, c.spot, 0, rate)
	for at := time.Duration(0); at < seconds; at += 100 * time.Millisecond {
		c.At(c.when+at, func() { c.flood(8, 600) })
	}
}

// stalled holds back what side 1 acknowledges while side 0 fills its window. DirectPlay 8's
// congestion window must have grown to the whole window before.
func stalled(c *cast) {
	c.hold(1, c.spot, Pause{c.when, c.when + 1200*time.Millisecond})
	if c.kind.port == dp4Port {
		c.At(c.when, func() { c.flood(60, 100) })
		return
	}
	for k := range 8 {
		c.At(c.when-time.Duration(k+1)*350*time.Millisecond, func() { c.flood(40, 700) })
	}
	c.At(c.when, func() { c.flood(200, 700) })
}

// stall stops a process for 3 s; its application says nothing meanwhile.
func (c *cast) stall(side int) {
	p := Pause{c.when, c.when + 3*time.Second}
	c.freeze(side, p)
	c.plans[side].Pauses = append(c.plans[side].Pauses, p)
}
