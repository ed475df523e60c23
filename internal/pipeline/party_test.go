package pipeline

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/testbed/captured"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/session"
)

// A script is a connection; times begin at 0.
type script []dissect.Datagram

// scriptOf plays one connection (tracegen.Call): what every guest of a party
// says, with other addresses at another time.
func scriptOf(tb testing.TB, kind string, lasts, pause time.Duration) script {
	tb.Helper()
	var b bytes.Buffer
	if err := tracegen.Call(&b, kind, 1, lasts, pause); err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(tb.TempDir(), kind+".pcap")
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		tb.Fatal(err)
	}
	all := captured.Tracked(tb, path)
	for i := len(all) - 1; i >= 0; i-- {
		all[i].Time -= all[0].Time
	}
	return all
}

// A guest is one connection of a party.
type guest struct {
	script
	at    int   // datagrams said
	from  int64 // when it came, ns
	until int64 // how far into its script it speaks before it falls silent
	net   uint32
}

func (g *guest) over() bool { return g.at == len(g.script) || g.script[g.at].Time > g.until }

// moved puts an address into a network of the guest's own.
func (g *guest) moved(e dissect.Endpoint) dissect.Endpoint {
	e.IP[13], e.IP[14] = byte(g.net>>8), byte(g.net)
	e.Port += uint16(g.net % 7)
	return e
}

// A party feeds many connections to the tables of a run, as one capture would.
type party struct {
	tables *tables
	spread spread
	guests []*guest
	now    int64
	frame  uint64
	made   uint32
	step   int64 // between two rounds, ns: frames of different guests are in order by rounds
}

func newParty(cfg session.Config) *party {
	cfg.Protocols = protocols.All(protocols.Options{})
	return &party{tables: newTables(cfg, nil), now: 1e18, step: 10e6}
}

func (c *party) join(script script, from, until int64) {
	c.made++
	c.guests = append(c.guests, &guest{script: script, from: c.now + from, until: until, net: c.made})
}

// pass lets time go by; guests that are over are forgotten by the party.
func (c *party) pass(d time.Duration) {
	for end := c.now + int64(d); c.now < end; {
		c.now = min(c.now+c.step, end)
		keep := c.guests[:0]
		for _, g := range c.guests {
			c.speak(g)
			if !g.over() {
				keep = append(keep, g)
			}
		}
		clear(c.guests[len(keep):])
		c.guests = keep
	}
}

func (c *party) speak(g *guest) {
	for !g.over() && g.script[g.at].Time+g.from <= c.now {
		d := g.script[g.at]
		g.at++
		c.frame++
		d.Frame, d.Time = c.frame, d.Time+g.from
		d.Src, d.Dst = g.moved(d.Src), g.moved(d.Dst)
		c.tables[c.spread.shardOf(&d)].Add(&d)
	}
}

// whisper makes every table look at the time: a datagram of no protocol in each.
func (c *party) whisper() {
	for i := range c.tables {
		c.frame++
		d := dissect.Datagram{Frame: c.frame, Time: c.now, HasTime: true, Payload: []byte{0xff}, Length: 1}
		d.Src.Port, d.Dst.Port = uint16(40000+i), 53
		c.tables[i].Add(&d)
	}
}

func (c *party) conns() (n int) {
	for _, t := range c.tables {
		n += len(t.Conns())
	}
	return n
}

// tick lets time go by without packets.
func (c *party) tick(d time.Duration) {
	c.now += int64(d)
	for _, t := range c.tables {
		t.Tick(c.now)
	}
}

// take collects the connections that were settled.
func (c *party) take() (all []*session.Conn) {
	for _, t := range c.tables {
		all = append(all, t.TakeClosed()...)
	}
	return all
}

// open counts the connections that are alive.
func (c *party) open() (n int) {
	for _, t := range c.tables {
		open, _, _ := t.Live()
		n += open
	}
	return n
}

// heap is what is in use, in bytes.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
