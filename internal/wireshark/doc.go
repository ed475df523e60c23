// Package wireshark makes what Wireshark needs to show these protocols: one Lua file,
// generated from the tables of fields and from the templates in lua, a profile, and the
// commands that put both in place.
//
//	Plugin     the Lua file
//	Fields     what it registers
//	Install    writes plugin and profile, and a list of both
package wireshark
