// Package filter is Wireshark's display-filter language over dissected frames:
// an expression is compiled once, with every name, type and constant checked,
// into closures that then judge each frame.
//
//	set := filter.NewSet(protocols)
//	f, err := filter.Compile(`dp8.seq in {1, 3..5} and not retry`, set)
//	var clock filter.Clock
//	for … { show := f.Match(frame, clock.Next(frame.Time)) }
//
// # Grammar
//
// From the loosest to the tightest binding, as in Wireshark:
//
//	or ||    xor ^^    and &&    not !    relations    & (bitwise)    slices, functions
//
//	relation  = [any|all] operand [op operand {op operand} | [not] in set]
//	op        = == eq any_eq | != ne all_ne | === all_eq | !== any_ne
//	          | > gt | < lt | >= ge | <= le | contains | matches ~
//	operand   = (name | constant | function "(" operand ")") {slice} {"&" constant}
//	slice     = "[" range {"," range} "]"; range = i | i:n | i-j | :n | i:
//	set       = "{" item {"," item} "}"; item = constant [".." constant]
//	function  = len | count | lower | upper | string
//
// A comparison chain, 1 < dp8.seq < 5, is the conjunction of its links. An empty
// expression matches every frame.
//
// # Meaning
//
// A bare name asks whether the frame has the field; a bare flag or analysis word
// asks whether it is set; a bare a & b whether a bit is left. A field that occurs
// more than once matches when any occurrence does, except that != and === want
// all of them; any and all before a relation overrule that. A comparison with a
// field that the frame doesn't have is false, and so are != and not in.
//
// Constants are numbers (10, 0xa, 012, 0b1010, 'a'), names of values with or
// without quotes, strings with escapes, raw strings r"…", bytes (01:02:ab,
// 01-02, 0102), addresses and subnets, true and false, seconds with fractions,
// and RFC 3339 times, UTC when they name no zone.
//
// # Cost
//
// Match doesn't allocate, except for lower, upper, string and slices of several
// ranges, which build a value. A Filter is safe for concurrent use.
//
// # Not as in Wireshark
//
// A bare flag means that it is set, not that it exists. count of an absent field
// is 0. Wireshark 4.0 lets not in match frames without the field. Addresses and times may be quoted or not. Times without a zone are UTC.
// Regular expressions are Go's. A slice of text is text. Arithmetic other than &,
// layers (#), raw fields (@), references and macros are not there.
package filter
