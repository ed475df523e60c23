package seq

// An Account is what else tells how a side fared (Options.Account).
type Account struct {
	Healed Deaf    // the longest run of Unheard that ended with an acknowledgement, up to that
	Swell  Swell   // of its round trip
	Losses Losses  // likely ones
	Spells *Spells // when it had trouble, nil when it had none

	resends resends
}

// Account is what else tells how the side fared, to be read only; nil when nobody asked for
// it.
func (d Quality) Account() *Account {
	d.ready()
	return d.account
}
