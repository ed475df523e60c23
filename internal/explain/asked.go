package explain

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A saying is a sentence that games and their libraries print when a connection ends, and
// how to find what it is about.
type saying struct {
	pattern string // a regular expression, compiled when somebody asks
	about   string
	find    func(t *Story, words []string) (*subject, []uint64, string)
}

// sayings are those of Hazel libraries, Among Us, kNet and DirectPlay games.
var sayings = []saying{
	{`(?i)reliable packet (\d+)(?:\s*\(size=(\d+)\))? was not ack'?d after (\d+) ?ms(?: \((\d+) resends\))?`,
		"a reliable packet that was never answered", findPacket},
	{`(?i)it'?s been (\d+)(?:\.\d+)? ?ms since last heard`, "a side that no longer received anything", findSilence},
	{`(?i)(\d+) pings? (?:have been sent|were sent|without)|(?:missed|lost) (\d+) pings?|pings? (?:timed out|were not ack)`,
		"pings that were not answered", findSilence},
	{`(?i)remote (?:host )?sent a disconnect|disconnect(?:ed)? by (?:the )?(?:remote|server|host)|you were (?:kicked|banned)|server closed|kicked`,
		"a close by the other side", findClose},
	{`(?i)incorrect version|different version|version mismatch|incompatible version|wrong version|older version|newer version`,
		"sides with different versions", findCause(VersionMismatch, Refused)},
	{`(?i)could ?n[o']t connect|failed to connect|unable to connect|connection refused|no route|could not find the (?:server|game)|connect(?:ion)? (?:attempt )?timed out|forcibly closed`,
		"an unanswered attempt to connect", findCause(NoAnswer, PortClosed, Refused)},
	{`(?i)connection (?:was )?lost|lost (?:the )?connection|timed out|time-?out|session (?:was )?lost|DPNERR_CONNECTIONLOST|DPERR_CONNECTIONLOST|DPSYS_SESSIONLOST|not respond`,
		"a connection that was lost", findSilence},
}

// Says reports whether a text has a sentence that games and libraries are known to print.
func Says(text string) bool {
	for _, x := range sayings {
		if regexp.MustCompile(x.pattern).MatchString(text) {
			return true
		}
	}
	return false
}

// Ask looks for what the sentence of a game is about.
func (t *Story) Ask(text string) *Asked {
	a := &Asked{Text: text, Frames: []uint64{}}
	for _, x := range sayings {
		words := regexp.MustCompile(x.pattern).FindStringSubmatch(text)
		if words == nil {
			continue
		}
		s, proof, sentence := x.find(t, words)
		if s == nil && proof != nil {
			a.Frames, a.Sentence = frames(proof...), sentence
			return a
		}
		if s == nil {
			a.Sentence = fmt.Sprintf("The sentence is about %s, but no connection in this capture fits: %s", x.about, sentence)
			return a
		}
		a.Connection, a.Frames, a.Sentence = &s.ID, frames(proof...), sentence
		return a
	}
	a.Sentence = "No known sentence of a game or library was found in the text. Looked for: " + knownSayings() + "."
	return a
}

func knownSayings() string {
	var all []string
	for _, x := range sayings {
		all = append(all, x.about)
	}
	return strings.Join(all, ", ")
}

// findPacket finds the unit that a side gave up, by its number, its size, how often it was
// sent again and for how long. Numbers of the wire have 16 bits.
func findPacket(t *Story, words []string) (*subject, []uint64, string) {
	number, size, after, resends := numberOf(words[1]), numberOf(words[2]), numberOf(words[3]), numberOf(words[4])
	var best *subject
	score, at := 0, dissect.Dir(0)
	for s := range t.all {
		for dir := range dissect.Dirs {
			u := &s.side(dir).Unanswered
			if u.Sends < 2 || u.Num&0xFFFF != seq.Num(number) {
				continue
			}
			fits := 1
			if size >= 0 && int64(u.Size) >= size && int64(u.Size) <= size+headerRoom {
				fits += 4
			}
			if resends >= 0 && int64(u.Sends)-1 <= resends && int64(u.Sends)+2 >= resends {
				fits += 2
			}
			if waited := (s.side(dir).Last.Time - u.Time) / 1e6; after >= 0 && waited <= after+1000 && waited >= after-3000 {
				fits += 2
			}
			if fits > score {
				best, score, at = s, fits, dir
			}
		}
	}
	if best == nil {
		for _, p := range t.pairs {
			if u, ok := unrecognised(p, &t.names); ok && u.Cause == NoAnswer && p.Opens(u.Guess) && number <= 1 {
				return nil, u.Frames, "That is most likely the first packet of a connection that was never established. " + u.Sentence
			}
		}
		return nil, nil, fmt.Sprintf("none has a packet %d that was sent again and has no answer here.", number)
	}
	u, v := &best.side(at).Unanswered, best.verdict()
	return best, append(v.Frames, u.Frame), fmt.Sprintf("Packet %d is that of %s in #%d (number %d of the capture, %s): it was sent %s, and this capture has no answer to it. %s",
		number, best.who(at), best.ID, u.Frame, count(uint64(u.Size), "byte", "bytes"), count(u.Sends, "time", "times"), v.Sentence)
}

// headerRoom is the most bytes by which the size that a library prints may be less than the
// payload on the wire.
const headerRoom = 16

// numberOf reads a number of the sentence, -1 when it has none.
func numberOf(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// findSilence finds the connection that ended in silence, the worst where there are
// several.
func findSilence(t *Story, _ []string) (*subject, []uint64, string) {
	return t.worst(func(s *subject, v *Verdict) bool {
		return abouts[v.Cause].grave == cutOff
	}, "none was cut off.")
}

// findClose finds the connection that a server, or the side that did not open it, closed.
func findClose(t *Story, _ []string) (*subject, []uint64, string) {
	return t.worst(func(s *subject, v *Verdict) bool {
		return s.State >= session.Closed && v.Side == "b" && (v.Cause == Closed || v.Cause == Reset || v.Cause == Refused || v.Cause == VersionMismatch)
	}, "none was closed by the side that did not open it.")
}

// findCause finds a connection of some causes.
func findCause(causes ...Cause) func(t *Story, _ []string) (*subject, []uint64, string) {
	return func(t *Story, _ []string) (*subject, []uint64, string) {
		return t.worst(func(_ *subject, v *Verdict) bool {
			for _, c := range causes {
				if v.Cause == c {
					return true
				}
			}
			return false
		}, fmt.Sprintf("none ended like that (%v).", causes))
	}
}

// worst gives the first of the worst connections of a kind.
func (t *Story) worst(fits func(s *subject, v *Verdict) bool, none string) (*subject, []uint64, string) {
	var best *subject
	var found Connection
	n := 0
	for s := range t.all {
		x := s.explain()
		if !fits(s, &x.Verdict) {
			continue
		}
		if n++; best == nil || x.Weight() > found.Weight() {
			best, found = s, x
		}
	}
	if best == nil {
		return nil, nil, none
	}
	sentence := fmt.Sprintf("Most likely #%d. %s", best.ID, found.Verdict.Sentence)
	if n > 1 {
		sentence += fmt.Sprintf(" %d others would also fit.", n-1)
	}
	return best, found.Verdict.Frames, sentence
}
