package dissect

// A Generated is a field of a frame that no byte holds and the analysis tells: the number of
// another frame, or a time. Columns, filters, records and comments have them from
// GeneratedFields.
type Generated struct {
	Name  string
	Label string
	Doc   string                   // what it is, in a clause; of a time without its unit
	Time  bool                     // in ns: seconds in columns and filters, milliseconds in records
	Late  bool                     // known only once later frames were read
	Of    func(fr *Frame) uint64   // 0 for none
	All   func(fr *Frame) []uint64 // in place of Of, where a frame may have several
}

// Record is the name of the field in records.
func (v *Generated) Record() string {
	if v.Time {
		return v.Name + "_ms"
	}
	return v.Name
}

// In is what the field says, in a unit of time where it is one.
func (v *Generated) In(unit string) string {
	if v.Time {
		return unit + " " + v.Doc
	}
	return v.Doc
}

// GeneratedFields are those of every frame, in the order of records.
var GeneratedFields = [...]Generated{
	{Name: "retry_of", Label: "Retry of", Doc: "an earlier frame of the same unit", Of: func(fr *Frame) uint64 { return fr.RetryOf }},
	{Name: "acked_in", Label: "Acknowledged in", Doc: "the first captured frame that acknowledges this one", Late: true,
		Of: func(fr *Frame) uint64 { return fr.AckedIn }},
	{Name: "acks", Label: "Acknowledges", Doc: "frames that this one acknowledges first", All: func(fr *Frame) []uint64 { return fr.Acks }},
	{Name: "ack_rtt", Label: "Round trip", Doc: "since the latest frame that this one acknowledges first", Time: true, Late: true,
		Of: func(fr *Frame) uint64 { return uint64(fr.AckRTT) }},
}
