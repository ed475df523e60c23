package dissect

import "testing"

// TestErrorText writes errors with all that may be known of them.
func TestErrorText(t *testing.T) {
	for want, e := range map[string]Error{
		"x.y at byte 4: truncated (T 2.1)": {Field: &Field{Name: "x.y", Clause: "T 2.1"}, Offset: 4, Reason: "truncated"},
		"x.y at byte 4: truncated":         {Field: &Field{Name: "x.y"}, Offset: 4, Reason: "truncated"},
		"byte 0: no protocol":              {Reason: "no protocol"},
	} {
		if got := e.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
