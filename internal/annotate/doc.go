// Package annotate writes captures as they are, with a comment on each packet of which the
// analysis has something to say.
//
//	Keys     what the first line of a comment holds, for machines
//	Printer  writes the packets of a run, in their order
package annotate
