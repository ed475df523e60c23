package session

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/seq"
)

// clockStep is how far time may run backwards, and how coarse it may be, before
// times prove nothing, in ns.
const clockStep = 1e6

// coarseStep is what all times are multiples of when they are too coarse, in ns: a
// resolution of 1 ms is fine enough.
const coarseStep = 5e6

// tickStep is that of the system timer of Windows, which is coarse as well: 1/64 s.
const tickStep = 15625e3

// longPause is a silence worth looking at, in ns.
const longPause = 1e9

// coarseAfter is how many times of one granularity make it the capture's.
const coarseAfter = 20

// sight is what the capture shows of a connection: what guards ask for.
type sight struct {
	// What most frames touch comes first, so that it lies in few cache lines.
	now      int64  // of the latest frame
	stamp    int64  // latest time of the capture since its clock was set
	timed    uint64 // frames with a time
	frames   [2]uint64
	last     [2]int64
	frame    [2]uint64 // latest of each side
	heard    [2]uint64 // frames of the peer before it
	dropped  uint64    // packets the capture said it lost, before the frame at hand
	ttlRun   [2]uint32
	ttl      [2]uint8       // usual ones
	stranger bool           // the frame at hand has an unusual one
	fine     bool           // times are multiples of no coarse step
	waiting  bool           // an acknowledgement was due when the frame at hand came
	offStep  bool           // time last ran backwards by no multiple of coarseStep
	offTick  bool           // … of tickStep
	full     *[2]fullWindow // nil while no frame filled a window
	data     [2]seq.Sign    // latest frame with application data, when Config.Endings asks for it

	backAt int64 // when time last ran backwards
	dropAt int64

	lost      seq.Sign // packets the capture lost while the connection lived; frame: the one behind them
	backwards seq.Sign
	backMost  int64     // ns
	silence   int64     // longest time without a frame while one was due, ns
	wokenBy   seq.Sign  // the frame behind it
	firstAt   int64     // time of the first frame
	idle      *Idle     // nil when there was none
	fault     [2]*Fault // latest error, nil when there was none
	dropFrame uint64
}

// unseen is the sight of rules whose guards do not ask for it. Nothing changes it.
var unseen sight

func (s *sight) see(fr *dissect.Datagram, dir dissect.Dir) {
	s.frames[dir]++
	s.frame[dir], s.heard[dir] = fr.Frame, s.frames[dir.Other()]
	if s.stranger = fr.TTL != s.ttl[dir]; s.stranger {
		s.seeTTL(fr.TTL, dir)
	} else if s.ttlRun[dir] < usualTTL {
		s.ttlRun[dir]++
	}
	if !fr.HasTime {
		return
	}
	stamp := fr.Stamp()
	step := stamp - s.stamp
	if s.timed == 0 || step < 0 || step > longPause || fr.Dropped != s.dropped || !s.fine {
		s.seeTime(fr, step, dir)
	}
	s.timed++
	s.now = fr.Time
	if s.last[dir] = fr.Time; step > 0 || step < -clockSet || s.timed == 1 {
		s.stamp = stamp
	}
}

// seeTime looks at what is rare about the time of a frame; step is the time since
// the one before.
func (s *sight) seeTime(fr *dissect.Datagram, step int64, dir dissect.Dir) {
	if !s.fine && s.timed > 0 && step > 0 { // steps, for a clock that was set shows any time
		s.offStep = s.offStep || step%coarseStep != 0
		s.offTick = s.offTick || step%tickStep != 0
		s.fine = s.offStep && s.offTick
	}
	dropped := fr.Dropped - s.dropped
	s.dropped = fr.Dropped
	if s.timed == 0 {
		s.firstAt = fr.Time
		return
	}
	if step < -clockStep {
		s.backAt = s.now
		s.backwards.See(fr.Frame, fr.Time)
		s.backMost = max(s.backMost, -step)
	}
	if dropped != 0 {
		s.dropAt, s.dropFrame = fr.Time, fr.Frame
		s.lost.See(fr.Frame, fr.Time)
		s.lost.N += dropped - 1
	}
	if step >= idleLeast {
		s.idle = &Idle{Span: step, End: seq.SignAt(fr.Frame, fr.Time), Sender: dir, Frames: s.frames}
		s.idle.Frames[dir]--
	}
	if step > longPause && step > s.silence && s.waiting {
		s.silence, s.wokenBy = step, seq.SignAt(fr.Frame, fr.Time)
	}
}

// usualTTL is how many frames in a row make a time to live a side's usual one.
const usualTTL = 8

// seeTTL learns the time to live of a side's frames from one that differs.
func (s *sight) seeTTL(ttl uint8, dir dissect.Dir) {
	if s.ttlRun[dir] < usualTTL {
		s.ttl[dir], s.ttlRun[dir], s.stranger = ttl, 1, false
	}
}
