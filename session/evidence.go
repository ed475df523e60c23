package session

// EvidenceFloor is the least evidence a probe holds: from there a pair that
// turns out to speak the protocol after all still comes back.
const EvidenceFloor = -64

// Evidence is what a probe has found for or against its protocol. Probes embed
// it; a probe that is to explain itself also keeps what the bits were given for.
type Evidence struct {
	Bits   float64
	opened bool
	tally  *[]Reason
}

// A Reason is one kind of evidence: what was seen, how often, and the bits it
// gave together.
type Reason struct {
	What  string
	Times int
	Bits  float64
}

// Add enters evidence of a kind, named by a constant phrase.
func (e *Evidence) Add(what string, bits float64) {
	e.Bits = max(e.Bits+bits, EvidenceFloor)
	if e.tally != nil {
		e.note(what, bits)
	}
}

// AddOpening is Add for what only the opening of a connection shows.
func (e *Evidence) AddOpening(what string, bits float64) {
	e.opened = true
	e.Add(what, bits)
}

// Opened reports whether something showed that a connection is opened.
func (e *Evidence) Opened() bool { return e.opened }

func (e *Evidence) note(what string, bits float64) {
	list := *e.tally
	for i := range list {
		if list[i].What == what {
			list[i].Times++
			list[i].Bits += bits
			return
		}
	}
	*e.tally = append(list, Reason{what, 1, bits})
}

// Explain makes the probe keep its reasons.
func (e *Evidence) Explain() { e.tally = new([]Reason) }

// Reasons are the kinds of evidence in the order in which they were first seen.
func (e *Evidence) Reasons() []Reason {
	if e.tally == nil {
		return nil
	}
	return *e.tally
}

// Held is the evidence gathered, whether or not it is enough to be sure.
func (e *Evidence) Held() float64 { return e.Bits }

// An Explainer is a probe that can say why; one that embeds Evidence is.
type Explainer interface {
	Explain()
	Reasons() []Reason
	Held() float64
	Opened() bool
}

// PossibleBits is the evidence from which an address pair that was never
// recognised is said to be possibly of a protocol.
const PossibleBits = 16
