package pipeline

import "github.com/dpdissect/dpdissect/session"

// NoMessages is the part of a Printer that prints frames alone.
type NoMessages struct{}

// PrepareMessage implements Printer.
func (NoMessages) PrepareMessage(int, *session.Message) (head, tail []byte) { return nil, nil }

// PrintMessage implements Printer.
func (NoMessages) PrintMessage(dst []byte, _, _ []byte, _ int) []byte { return dst }
