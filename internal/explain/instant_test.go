package explain

import (
	"encoding/json"
	"testing"
)

// TestInstant: a time is written with nine digits of a second, in UTC; zero is none: it is left out of a
// record, and has no text.
func TestInstant(t *testing.T) {
	v := Verdict{Time: 1_700_000_000_000_000_120}
	if b, err := json.Marshal(struct{ At, Zero Instant }{v.Time, 0}); err != nil || string(b) != `{"At":"2023-11-14T22:13:20.000000120Z","Zero":"1970-01-01T00:00:00.000000000Z"}` {
		t.Errorf("%s, %v", b, err)
	}
	if b, err := json.Marshal(struct {
		At Instant `json:"at,omitempty"`
	}{}); err != nil || string(b) != "{}" || Instant(0).String() != "" {
		t.Errorf("%s, %v", b, err)
	}
	if v.Time.Clock() != "22:13:20" || v.When() != int64(v.Time) {
		t.Error(v.Time.Clock(), v.When())
	}
}
