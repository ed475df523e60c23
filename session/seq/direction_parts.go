package seq

// What the engine makes of a Direction's frames are types of their own, one for each kind
// of question. They hold nothing but the direction they look at.

// A sending judges captured sendings: first ones, further ones, and those of numbers that
// are no longer remembered.
type sending struct{ *Direction }

func (d *Direction) sending() sending { return sending{d} }

// A copying tells copies that the network or the capture made (guard DUP).
type copying struct{ *Direction }

func (d *Direction) copying() copying { return copying{d} }

// An acknowledging applies what the peer acknowledges, or reports missing.
type acknowledging struct{ *Direction }

func (d *Direction) acking() acknowledging { return acknowledging{d} }

// A placing tells numbers near those of their side from provisional ones.
type placing struct{ *Direction }

func (d *Direction) placing() placing { return placing{d} }

// A settling draws the conclusions about numbers that are about to be forgotten.
type settling struct{ *Direction }

func (d *Direction) settling() settling { return settling{d} }

// Quality is what the frames of a side tell of the capture and of the network.
type Quality struct{ *Direction }

// Quality gives what the side's frames tell of the capture and of the network.
func (d *Direction) Quality() Quality { return Quality{d} }

// Provisionals are the frames of a side whose numbers are not believed yet (Place), or
// turned out to be out of place.
type Provisionals struct{ *Direction }

// Provisionals gives the side's frames that are not believed yet.
func (d *Direction) Provisionals() Provisionals { return Provisionals{d} }

// Trips are round trips that acknowledgements of a number's first sending do not tell: of
// pings, and of the sendings of a number that was sent several times.
type Trips struct{ *Direction }

// Trips gives the side's round trips beside RTT.
func (d *Direction) Trips() Trips { return Trips{d} }
