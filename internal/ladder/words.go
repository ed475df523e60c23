package ladder

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/seq"
)

// seconds is a time for people: "1.482 s".
func seconds(ns int64) string { return fmt.Sprintf("%.3f s", float64(ns)/1e9) }

func pauseLabel(ns int64, filtered bool) string {
	if filtered {
		return seconds(ns) + " without a frame that was chosen"
	}
	return seconds(ns) + " without a frame"
}

// runLabel is "12 x DFRAME 40-51, all acknowledged".
func runLabel(r *Row, wait int64) string {
	s := fmt.Sprintf("%d x %s", r.Datagrams, r.Type)
	if r.Words.Has(dissect.KeepAlive) {
		s += " keepalive"
	}
	if r.HasNumber {
		s += fmt.Sprintf(" %d-%d", r.Number, r.Last)
	}
	if words := wordsOf(r.Words & dissect.DuplicateAck); len(words) > 0 {
		s += ", " + strings.Join(words, ", ")
	}
	switch {
	case r.Acked == r.Datagrams:
		s += ", all acknowledged"
	case r.Acked > 0:
		s += fmt.Sprintf(", %d acknowledged", r.Acked)
	case r.Awaits == r.Datagrams:
		s += ", none acknowledged"
	}
	if wait >= pauseLeast {
		s += ", pauses of up to " + seconds(wait)
	}
	return s
}

// name gives a loss that was not captured its label, and counts the datagrams of a packet
// that stood for several.
func (r *Row) name() {
	switch {
	case r.Kind == Loss && len(r.Frames) == 0:
		r.Label = fmt.Sprintf("number %d", r.Num)
	case r.Kind == Frame && r.Datagrams > 1:
		r.Label = fmt.Sprintf("%d datagrams: %s ...", r.Datagrams, r.Label)
	}
}

// wordsOf are the names of words.
func wordsOf(w dissect.Words) (names []string) {
	for ; w != 0; w &= w - 1 {
		if i := bits.TrailingZeros32(uint32(w)); i < len(dissect.WordNames) {
			names = append(names, dissect.WordNames[i])
		}
	}
	return names
}

// lostWords say where a loss happened.
var lostWords = map[seq.LostAt]string{
	seq.BeforeCapture: "lost before the capture point",
	seq.AfterCapture:  "lost after the capture point",
	seq.NotCaptured:   "arrived, but not captured",
}

// told are the words that are told beside a frame. The others show in what it is.
const told = dissect.OutOfOrder | dissect.Gap | dissect.GapFilled | dissect.DuplicateAck | dissect.AckOfUncaptured | dissect.WindowFull |
	dissect.NewConnection | dissect.BadSignature

// A remarkKind is what a remark is about.
type remarkKind uint8

const (
	aboutWords remarkKind = iota
	aboutLoss
	aboutFault
	aboutError // a finding of this severity, and so on
	aboutWarn
	aboutNote
	aboutProof
	aboutNotice
)

// A remark is a line beside a row, not yet escaped.
type remark struct {
	kind remarkKind
	text string
}

// remarks are what there is to say of a row beside its label.
func (r *Row) remarks() (all []remark) {
	if r.Kind == Run || r.Kind == Pause {
		return nil
	}
	if r.Lost != 0 {
		all = append(all, remark{aboutLoss, r.lossWords()})
	}
	if r.Way != nil {
		all = append(all, r.Way.remarks...)
	}
	if words := r.marks(); words != "" {
		all = append(all, remark{aboutWords, words})
	}
	if r.Fault != "" {
		all = append(all, remark{aboutFault, r.Fault})
	}
	for _, f := range r.Findings {
		all = append(all, remark{severities[f.Severity], f.Rule + ": " + f.Message})
	}
	if len(r.Proof) > 0 {
		all = append(all, remark{aboutProof, r.proofWords()})
	}
	return append(all, r.noticeRemarks()...)
}

// noticeRemarks are "frames 235, 236: ICMP ...", like ones together, and those that are
// proof.
func (r *Row) noticeRemarks() (all []remark) {
	for i := 0; i < len(r.Notices); {
		n, end := &r.Notices[i], i
		var proof []remark
		numbers := ""
		for ; end < len(r.Notices) && r.Notices[end].Label == n.Label; end++ {
			x := &r.Notices[end]
			numbers += fmt.Sprintf(", %d", x.Frame)
			if len(x.Proof) > 0 {
				proof = append(proof, remark{aboutProof, fmt.Sprintf("frame %d is %s", x.Frame, proofWords(x.Proof))})
			}
		}
		word := "frame "
		if end > i+1 {
			word = "frames "
		}
		all = append(append(all, remark{aboutNotice, word + numbers[len(", "):] + ": ICMP " + n.Label}), proof...)
		i = end
	}
	return all
}

var severities = map[string]remarkKind{"error": aboutError, "warn": aboutWarn, "note": aboutNote}

// proofWords says what a row is proof of, and which command says so.
func (r *Row) proofWords() string {
	if r.Way != nil {
		return "proof of " + strings.Join(r.Proof, ", ") + " (compare)"
	}
	return proofWords(r.Proof)
}

func proofWords(causes []string) string {
	return "proof of " + strings.Join(causes, ", ") + " (explain)"
}

// lossWords are "lost before the capture point, sent again in frame 36".
func (r *Row) lossWords() string {
	s := lostWords[r.Lost]
	if r.Again != 0 {
		s += fmt.Sprintf(", sent again in frame %d", r.Again)
	}
	return s
}

// marks are "unneeded retry of frame 36, gap filled".
func (r *Row) marks() string {
	var words []string
	if what := r.repeats(); what != "" {
		if r.RetryOf != 0 {
			what += fmt.Sprintf(" of frame %d", r.RetryOf)
		}
		words = append(words, what)
	}
	for _, w := range wordsOf(r.Words & told) {
		words = append(words, strings.ReplaceAll(w, "-", " "))
	}
	return strings.Join(words, ", ")
}

// repeats says how a frame is one that was there before.
func (r *Row) repeats() string {
	switch {
	case r.Words.Has(dissect.Duplicate):
		return "copy"
	case r.Words.Has(dissect.UnneededRetry):
		return "unneeded retry"
	case r.Words.Has(dissect.Retry):
		return "retry"
	case r.RetryOf != 0:
		return "again"
	}
	return ""
}
