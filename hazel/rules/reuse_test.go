package rules

import (
	"testing"

	"github.com/dpdissect/dpdissect/hazel/track"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// TestHazel_ReliableDelivery_OtherBytesUnderAnID: an ID that comes again with other bytes is
// told where the peer went on with its own numbers since: had the connection begun again, the
// peer would have, too. Numbers that ran far ahead are not its own: they may have begun anywhere.
func TestHazel_ReliableDelivery_OtherBytesUnderAnID(t *testing.T) {
	const excess = track.AckExcess
	for _, c := range []struct {
		name    string
		high    seq.Num // of the peer, which was at 5
		renewed bool    // its numbers began again
		want    conform.Ruling
	}{
		{"the peer stayed where it was", 5, false, conform.Doubtful},
		{"the peer went on", 6, false, conform.Failed},
		{"the peer went on as far as numbers are its own", 5 + excess - 1, false, conform.Failed},
		{"the peer ran further ahead", 5 + excess, false, conform.Doubtful},
		{"the peer began again", 6, true, conform.Doubtful},
	} {
		peer := side{Span: &track.Span{Highest: track.Highest{Sent: true, Top: c.high}}, renewed: c.renewed}
		if got, _ := (odd{&oddity{other: 5, led: true}, &peer}).Settle(); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
