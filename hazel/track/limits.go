package track

import "github.com/dpdissect/dpdissect/session/seq"

// limits are those of ids: a receiver takes what is up to 32,768 ahead of the
// newest for new, and every release has given up after ten seconds. Nothing marks
// a first transmission, so that what was lost before the capture looks like what the
// capture missed.
var limits = seq.Limits{History: 32768, Keep: Keep, Answered: Answered, AckExcess: AckExcess, Reach: 32, NoBefore: true}

// What else is asked for by rules.
const (
	Keep      = 12e9 // for how long a number is remembered, and may be sent again, ns: every release has given up by then
	Answered  = 4e9  // … once it was acknowledged, ns: who sends it again did not hear of that, for as long as several answers were lost
	AckExcess = 1024 // how far ahead of the newest an acknowledgement may be
)
