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
