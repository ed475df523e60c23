package render

// A Style is a pair of ANSI sequences, both empty when colour is off.
type Style struct{ Start, Stop string }

// A Palette is the colours of text output. The zero Palette prints none.
type Palette struct {
	Heading   Style // first line of a layer, table heads
	Protocol  Style // protocol column
	Mark      Style // [Retry] and its like
	Derived   Style // rows in brackets
	Error     Style // malformed, undecoded, error notes
	Warn      Style // warn notes
	Note      Style // notes
	Highlight Style // bytes in a hex dump
}

// ANSI is the palette for terminals; every colour is one of the basic eight.
func ANSI() Palette {
	sgr := func(code string) Style { return Style{"\x1b[" + code + "m", "\x1b[0m"} }
	return Palette{
		Heading: sgr("1"), Protocol: sgr("36"), Mark: sgr("33"), Derived: sgr("2"),
		Error: sgr("31"), Warn: sgr("33"), Note: sgr("36"), Highlight: sgr("7"),
	}
}

// severity is the style of a note.
func (p *Palette) severity(s string) Style {
	switch s {
	case "error":
		return p.Error
	case "warn":
		return p.Warn
	}
	return p.Note
}
