package capture

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// maxWait is how long a live source sleeps before it looks whether it was stopped. Each
// time it wakes up costs more than many packets.
const maxWait = 100 * time.Millisecond

// live gives the packets of network interfaces in the order of their times. With
// several of them a packet waits until no interface can come with an earlier one.
type live struct {
	taps    []*tap
	waiter  *waiter
	delay   time.Duration
	frame   uint64
	last    *tap // whose packet was given last
	idle    bool // it was told that nothing waits
	alarm   alarm
	stopAt  atomic.Pointer[time.Time]
	maxSize uint64
	size    uint64
	stopped bool // all that was captured until stopAt was given
	closed  bool
}

// A tap is one device and the packet at its head.
type tap struct {
	device
	name  string
	index int
	rec   Record
	full  bool // rec was not given yet
	links linkUse
	err   error // what ended it

	maker *blockMaker // nil where nobody wants blocks

	packets, bytes uint64
	drops          uint64 // told with packets
	first, latest  int64
}

// Limits end a live source by themselves. Zero is no limit.
type Limits struct {
	Packets  uint64
	Duration time.Duration
	Bytes    uint64 // captured bytes of packets
}

// OpenLive captures from interfaces. When it returns every packet of them is
// captured. The error is a *NoRight when this user may not.
func OpenLive(names []string, o LiveOptions, limits Limits) (*Source, error) {
	if err := checkNames(names); err != nil {
		return nil, err
	}
	if o.Delay <= 0 {
		o.Delay = DefaultDelay
	}
	if o.Buffer <= 0 {
		o.Buffer = DefaultBuffer
	}
	if o.Snaplen <= 0 || o.Snaplen > MaxPacket {
		o.Snaplen = MaxPacket
	}
	l := &live{delay: o.Delay, maxSize: limits.Bytes}
	for i, name := range names {
		d, err := openDevice(name, &o)
		if err != nil {
			l.close()
			return nil, err
		}
		t := &tap{device: d, name: name, index: i}
		t.links.declare(d.Describe().Link)
		l.taps = append(l.taps, t)
	}
	devs := make([]device, len(l.taps))
	for i, t := range l.taps {
		devs[i] = t.device
	}
	var err error
	if l.waiter, err = newWaiter(devs); err != nil {
		l.close()
		return nil, err
	}
	if limits.Duration > 0 {
		at := time.Now().Add(limits.Duration)
		l.stopAt.Store(&at)
	}
	return &Source{inlet: l, max: limits.Packets}, nil
}

func checkNames(names []string) error {
	if len(names) == 0 {
		return errors.New("no interface given")
	}
	for i, n := range names {
		if slices.Contains(names[:i], n) {
			return fmt.Errorf("interface %s is given twice", n)
		}
		if n == anyDevice && len(names) > 1 {
			return fmt.Errorf("%s stands for all interfaces and cannot be combined with others", n)
		}
	}
	return nil
}

// anyDevice is the name that stands for all interfaces, where the system has that.
const anyDevice = "any"

func (l *live) next(out *fed) (wait, ok bool) {
	if l.last != nil {
		l.last.full, l.last = false, nil
	}
	if l.closed {
		return false, false
	}
	for {
		t, sure := l.head()
		if t != nil && (sure || l.ripe(t)) {
			return false, l.give(t, out)
		}
		if l.over(t) {
			// What came between the look at the taps and that at the clock.
			if t, _ = l.head(); t == nil {
				return false, false
			}
			continue
		}
		if !l.idle {
			l.idle = true
			return true, true
		}
		l.wait(t)
		l.idle = false
	}
}

// head finds the tap with the earliest packet; sure says that all taps have one.
func (l *live) head() (first *tap, sure bool) {
	sure = true
	for _, t := range l.taps {
		if !t.full && t.err == nil {
			t.full, t.err = t.Read(&t.rec)
		}
		switch {
		case !t.full:
			sure = false
		case first == nil || t.rec.Time < first.rec.Time:
			first = t
		}
	}
	return first, sure
}

// ripe reports whether what a tap has is so old that no other can come with
// something earlier.
func (l *live) ripe(t *tap) bool {
	return len(l.taps) == 1 || time.Now().UnixNano()-t.rec.Time > int64(2*l.delay)
}

// give hands out a packet, unless it is after the end.
func (l *live) give(t *tap, out *fed) bool {
	if l.pastEnd(t.rec.Time) || l.maxSize != 0 && l.size >= l.maxSize {
		return false
	}
	l.last = t
	l.frame++
	l.size += uint64(len(t.rec.Data))
	t.count()
	if t.maker != nil {
		t.maker.put(&t.rec)
	}
	out.rec, out.frame, out.file = &t.rec, l.frame, t.index
	if t.rec.HasDrops {
		out.drops = t.rec.Drops
	}
	return true
}

// lookEvery is how many packets of a busy interface pass between two looks at the
// clock.
const lookEvery = 256

// pastEnd reports whether a packet of this time is slower than the end. When the clock was
// set back since, how long it runs decides.
func (l *live) pastEnd(packet int64) bool {
	at := l.stopAt.Load()
	if at == nil {
		return false
	}
	if packet > at.UnixNano() {
		return time.Until(*at) <= 0
	}
	if l.frame%lookEvery != 0 {
		return false
	}
	now := time.Now()
	return l.setBack(now.Sub(*at), now.Round(0).Sub(at.Round(0)))
}

// setBack reports whether the clock was set back since the end, of which so much time
// has passed and so much shows on the clock: packets that come now may tell of a time
// before the end.
func (l *live) setBack(passed, shown time.Duration) bool {
	return passed > l.late() && passed-shown > l.delay
}

// late is how long after the end packets of before may still come.
func (l *live) late() time.Duration { return 3 * l.delay }

// rest gives the statistics of an interface as a block.
func (l *live) rest(file int) ([]byte, uint64) {
	t := l.taps[file]
	if t.maker == nil {
		return nil, 0
	}
	n := t.Counts()
	return t.maker.end(&Statistics{Start: t.first, End: max(t.first, t.latest), Received: n.Received, Dropped: n.Dropped, Filtered: t.Describe().Filter != ""}), 0
}

func (t *tap) count() {
	if t.packets == 0 {
		t.first = t.rec.Time
	}
	t.packets++
	t.bytes += uint64(len(t.rec.Data))
	t.latest = t.rec.Time
	t.links.add(t.rec.Link)
	if t.rec.HasDrops {
		t.drops += t.rec.Drops
	}
}

// over reports whether nothing more is to come: it was stopped and what was
// captured before that is given, or an interface failed. t is the tap with the
// earliest packet, which is not ripe, or nil.
func (l *live) over(t *tap) bool {
	if t != nil {
		return false
	}
	for _, t := range l.taps {
		if t.err != nil {
			return true
		}
	}
	at := l.stopAt.Load()
	if at == nil {
		return false
	}
	late := time.Since(*at)
	l.stopped = late > l.late() && (late > longestWait || !slices.ContainsFunc(l.taps, (*tap).holdsBack))
	return l.stopped
}

// longestWait is the longest time that a stopped source waits for packets that the kernel still has.
const longestWait = 2 * time.Second

// holdsBack reports whether the system has packets that it did not hand over yet.
func (t *tap) holdsBack() bool {
	d, ok := t.device.(interface{ holdsBack() bool })
	return ok && d.holdsBack()
}

// heard is until when every packet was given.
func (l *live) heard() int64 {
	switch {
	case l.stopped:
		return l.stopAt.Load().UnixNano()
	case l.idle:
		return time.Now().Add(-l.late()).UnixNano()
	}
	return 0
}

// wait waits for packets. t is the tap with the earliest one, which is not ripe, or
// nil.
func (l *live) wait(t *tap) {
	if t != nil { // it is ripe soon
		time.Sleep(l.delay / 4)
		return
	}
	d := l.alarm.left(time.Now(), maxWait)
	if at := l.stopAt.Load(); at != nil {
		d = min(d, max(l.delay, time.Until(*at)))
	}
	l.waiter.wait(d)
}

// stop lets everything captured until now be given.
func (l *live) stop() {
	now := time.Now()
	for {
		at := l.stopAt.Load()
		if at != nil && at.Before(now) || l.stopAt.CompareAndSwap(at, &now) {
			return
		}
	}
}

// waitAtMost of live sources is what is wished for.
func (l *live) waitAtMost(d time.Duration) time.Duration { return d }

func (l *live) wakeAt(at time.Time) { l.alarm.set(at) }

func (l *live) infos() []Info {
	infos := make([]Info, len(l.taps))
	for i, t := range l.taps {
		infos[i] = t.info()
	}
	return infos
}

func (t *tap) info() Info {
	c := t.Counts()
	i := Info{
		Path: t.name, Live: true, LinkTypes: t.links.names(), Packets: t.packets, Bytes: t.bytes,
		HasTime: t.packets > 0, FirstTime: t.first, LastTime: t.latest, Problem: t.links.problem(),
		HasDropped: true, Dropped: max(c.Dropped, t.drops), Received: c.Received,
	}
	if n, ok := t.device.(interface{ Notice() string }); ok && n.Notice() != "" {
		i.Problem = strings.Join(slices.DeleteFunc([]string{i.Problem, n.Notice()}, func(s string) bool { return s == "" }), "; ")
	}
	if t.err != nil {
		i.Failed = true
		i.Problem = t.err.Error()
	}
	return i
}

func (l *live) close() {
	if l.waiter != nil {
		l.waiter.close()
	}
	for _, t := range l.taps {
		t.Close()
	}
	l.closed = true
}
