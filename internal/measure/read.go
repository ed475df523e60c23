package measure

import (
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Values are the counters of a direction, or what an interval of time adds to them.
type Values [Counters]int64

// Read reads the counters of intervals (InInterval).
func (v *Values) Read(d *seq.Direction) {
	v[Frames], v[Bytes], v[DataFrames], v[Acks] = int64(d.Frames), int64(d.Bytes), int64(d.DataFrames), int64(d.Acks)
	v[Retries], v[UnneededRetries], v[Duplicates] = int64(d.Retries), int64(d.UnneededRetries), int64(d.Duplicates)
	v[OutOfOrder], v[Gaps], v[KeepAlives] = int64(d.OutOfOrder), int64(d.Gaps), int64(d.KeepAlives)
	v[Messages], v[MessageBytes] = int64(d.Messages), int64(d.MessageBytes)
}

// ReadRest reads the others, but for losses.
func (v *Values) ReadRest(d *seq.Direction) {
	s := &d.Signatures
	v[IncompleteMessages], v[Missing], v[Transmissions] = int64(d.IncompleteMessages), int64(d.Missing()), int64(d.Transmissions())
	v[ValidSignatures], v[InvalidSignatures], v[UnverifiableSignatures] = int64(s.Valid), int64(s.Invalid), int64(s.Unverifiable)
}

// ReadLosses reads what is proved lost so far, which may become fewer.
func (v *Values) ReadLosses(d *seq.Direction) {
	lost := d.Lost()
	v[LostBefore], v[LostAfter], v[NotCaptured] = int64(lost.BeforeCapture), int64(lost.AfterCapture), int64(lost.NotCaptured)
}

// Of reads all counters of a direction.
func Of(d *seq.Direction) (v Values) {
	v.Read(d)
	v.ReadRest(d)
	v.ReadLosses(d)
	return v
}

// Put makes a direction report the counters that it keeps, and gives those it computes, but for
// losses.
func (v *Values) Put(d *seq.Direction) seq.Part {
	of := func(c Counter) uint64 { return uint64(v[c]) }
	d.Frames, d.Bytes, d.DataFrames, d.Acks = of(Frames), of(Bytes), of(DataFrames), of(Acks)
	d.Retries, d.UnneededRetries, d.Duplicates = of(Retries), of(UnneededRetries), of(Duplicates)
	d.OutOfOrder, d.Gaps, d.KeepAlives = of(OutOfOrder), of(Gaps), of(KeepAlives)
	d.Messages, d.MessageBytes, d.IncompleteMessages = of(Messages), of(MessageBytes), of(IncompleteMessages)
	d.Signatures.Valid, d.Signatures.Invalid, d.Signatures.Unverifiable = of(ValidSignatures), of(InvalidSignatures), of(UnverifiableSignatures)
	return seq.Part{Missing: of(Missing), Transmissions: of(Transmissions)}
}

// A Set is some counters; bit c is Counter c.
type Set uint32

// Has reports whether a counter is in the set.
func (s Set) Has(c Counter) bool { return s>>c&1 != 0 }

// Known are the counters of a direction that the capture can tell.
func Known(c *session.Conn, d *seq.Direction) Set {
	s := Set(1<<Counters - 1)
	if !ReadsAcks(c) {
		s &^= 1 << UnneededRetries
	}
	before, after, captured := d.ProvesLoss()
	if !before {
		s &^= 1 << LostBefore
	}
	if !after {
		s &^= 1 << LostAfter
	}
	if !captured {
		s &^= 1 << NotCaptured
	}
	if !d.HasSignatures {
		s &^= 1<<ValidSignatures | 1<<InvalidSignatures | 1<<UnverifiableSignatures
	}
	return s
}

// ReadsAcks reports whether acknowledgements can be read, so that retries of what was
// acknowledged can be told: everywhere but under encryption.
func ReadsAcks(c *session.Conn) bool { return c.Dialect != "dtls" }
