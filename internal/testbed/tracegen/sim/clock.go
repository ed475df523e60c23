package sim

import "time"

// A Clock runs events in the order of their times; events of equal time run in
// the order they were made.
type Clock struct {
	now  time.Duration
	made uint64
	heap []event
}

type event struct {
	at    time.Duration
	order uint64
	run   func()
	timer *Timer
}

func (e *event) before(o *event) bool {
	return e.at < o.at || e.at == o.at && e.order < o.order
}

// A Timer is an event that may be called off.
type Timer struct {
	At   time.Duration // when it is due
	done bool
}

// Stop calls the event off. A nil timer is stopped already.
func (t *Timer) Stop() {
	if t != nil {
		t.done = true
	}
}

// Active reports whether the event is still to come.
func (t *Timer) Active() bool { return t != nil && !t.done }

// Now is the simulated time since the start.
func (c *Clock) Now() time.Duration { return c.now }

// After runs f when d has passed.
func (c *Clock) After(d time.Duration, f func()) *Timer {
	t := &Timer{At: c.now + max(d, 0)}
	c.push(event{at: t.At, run: f, timer: t})
	return t
}

// Do runs f when d has passed; it can't be called off.
func (c *Clock) Do(d time.Duration, f func()) {
	c.push(event{at: c.now + max(d, 0), run: f})
}

// Run runs events up to the time end, or until none is left or stop says so.
// A nil stop never does.
func (c *Clock) Run(end time.Duration, stop func() bool) {
	for len(c.heap) > 0 && c.heap[0].at <= end && (stop == nil || !stop()) {
		e := c.pop()
		c.now = e.at
		if e.timer != nil {
			if e.timer.done {
				continue
			}
			e.timer.done = true
		}
		e.run()
	}
}

// Advance runs what is due until the time to, and makes it now: for clocks that
// follow another. A time that has passed changes nothing.
func (c *Clock) Advance(to time.Duration) {
	c.Run(to, nil)
	c.now = max(c.now, to)
}

// Next is when the next event is due, false when none is.
func (c *Clock) Next() (time.Duration, bool) {
	for len(c.heap) > 0 {
		if t := c.heap[0].timer; t == nil || !t.done {
			return c.heap[0].at, true
		}
		c.pop()
	}
	return 0, false
}

func (c *Clock) push(e event) {
	c.made++
	e.order = c.made
	c.heap = append(c.heap, e)
	h := c.heap
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if !h[i].before(&h[up]) {
			break
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
}

func (c *Clock) pop() event {
	h := c.heap
	top, last := h[0], len(h)-1
	h[0], h[last] = h[last], event{}
	c.heap = h[:last]
	h = c.heap
	for i := 0; ; {
		least := i
		for k := 2*i + 1; k <= 2*i+2 && k < len(h); k++ {
			if h[k].before(&h[least]) {
				least = k
			}
		}
		if least == i {
			return top
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}
