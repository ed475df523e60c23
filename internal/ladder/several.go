package ladder

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/session"
)

// Several takes the frames of several connections out of one run. Their Collectors differ
// in nothing but the connection.
type Several []*Collector

// Configure sets what the tracker must provide.
func (s Several) Configure(cfg *session.Config) {
	for _, c := range s {
		c.Configure(cfg)
	}
}

// Prepare implements pipeline.Printer: what one keeps of a frame serves all.
func (s Several) Prepare(shard int, slot *pipeline.Slot, fr *dissect.Frame) {
	s[0].Prepare(shard, slot, fr)
}

// PrepareMessage implements pipeline.Printer: frames are not messages.
func (s Several) PrepareMessage(int, *session.Message) (head, tail []byte) { return nil, nil }

// PrintMessage implements pipeline.Printer.
func (s Several) PrintMessage(dst []byte, _, _ []byte, _ int) []byte { return dst }

// Print implements pipeline.Printer.
func (s Several) Print(dst []byte, slot *pipeline.Slot) []byte {
	for _, c := range s {
		dst = c.Print(dst, slot)
	}
	return dst
}
