package conform

// Profile is what is known of the implementations in a capture beforehand.
type Profile struct {
	Strict  bool // where text and example differ, the text counts
	Windows bool // the endpoints are those of the Windows product
	// Values are characteristic values an installation states, in ms, per second
	// or plain, by the last part of the rule's name ("RESEND": 2000).
	Values map[string]float64
}

// Value is the value the profile states for a rule, or the default.
func (p *Profile) Value(rule string, standard float64) (v float64, stated bool) {
	if p != nil {
		if v, ok := p.Values[rule]; ok {
			return v, true
		}
	}
	return standard, false
}
