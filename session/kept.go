package session

// Types are values of the types of this package that stand behind interfaces, for who writes
// tables down; those of protocols are Protocol.Types.
func Types() []any { return []any{order{}, &listener{}} }

// Fixed is what connections of any table refer to and nothing changes.
func Fixed() []any { return []any{&unseen, noTrouble} }

// Given is what the table was given: its configuration, which is not written down.
func (t *Table) Given() *Config { return &t.cfg }
