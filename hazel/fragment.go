package hazel

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
)

// Headers of fragments. Both have 7 bytes and an id of their own, acknowledged
// and sent again alone.
//
// To 2018-12 (Hazel v0.1.2 Fragmented.cs), big-endian:
//
//	02 | message id:16 | number of fragments:16 | id:16 | data
//	0B | message id:16 | index:16, from 1       | id:16 | data
//
// fork36 (Hazel pull request 36), with a little-endian message id:
//
//	0B | id:16 | message id:16 | count:8 | index:8, from 0 | data
//
// where the data of index 0 begins with the send option of the whole message.
// Code before 2017 sent messages with the Fragmented flag whole, after the
// type alone (02; 20 and 30 in 2016-05-30). The page lets 03, which is both
// Fragmented and Reliable, carry an id.
const FragmentHeader = 7

func (f *Frame) decodeFragment(r *dissect.Reader) {
	switch {
	case f.Code == 0x03:
		f.readID(r)
		f.Data = r.Rest(&Fields[fData])
	case f.Code != 0x0B && f.Type == Fragment:
		f.Data = r.Rest(&Fields[fData])
	case f.Type == FragmentStart:
		f.decodeV01(r, fFragmentCount, &f.Count)
	case f.guess && r.Len() < FragmentHeader-1:
		r.Skip(&Fields[fFragmentIndex], FragmentHeader-1) // which header it was, its length would tell
	case f.Dialect == Fork36 || f.Dialect == Current || f.guess && ForkFits(r.Peek(FragmentHeader-1)):
		f.decodeFork(r)
	default:
		f.decodeV01(r, fFragmentIndex, &f.Index)
	}
}

// ForkFits tells, where the dialect is not known, whether a fragment has the
// layout of fork36: an index below its count, where the other layout has no
// index that a message of its size could need.
func ForkFits(b []byte) bool {
	index := binary.BigEndian.Uint16(b[2:])
	return forkPlausible(b) && (index == 0 || index > maxPlausibleIndex)
}

// maxPlausibleIndex is the highest index of a message of 16 MiB, in fragments of
// full size, and MostFragments how many it has.
const (
	maxPlausibleIndex = 255
	MostFragments     = maxPlausibleIndex + 1
)

// forkPlausible reports whether what follows the type may be a header of fork36.
func forkPlausible(b []byte) bool { return b[5] < b[4] }

func (f *Frame) decodeV01(r *dissect.Reader, row int, v *uint16) {
	f.Dialect = V01
	f.MessageID = r.B16(&Fields[fMessageID])
	*v = r.B16(&Fields[row])
	f.readID(r)
	f.Data = r.Rest(&Fields[fData])
}

func (f *Frame) decodeFork(r *dissect.Reader) {
	if b := r.Peek(FragmentHeader - 1); f.Dialect == Current && (b == nil || !forkPlausible(b)) {
		f.Type = Unknown
		r.FailAt(&Fields[fControlType], 0, "fragments have no layout in this dialect")
		return
	}
	f.Dialect = Fork36
	f.readID(r)
	f.MessageID = r.U16(&Fields[fMessageID])
	f.Count = uint16(r.U8(&Fields[fFragmentCount]))
	f.Index = uint16(r.U8(&Fields[fFragmentIndex]))
	if r.OK() && f.Index >= f.Count {
		r.FailAt(&Fields[fFragmentIndex], FragmentHeader-1, "index is not below the count")
	}
	if f.HasOption = f.Index == 0 && r.Len() > 0; f.HasOption {
		f.Option = r.U8(&Fields[fSendOption])
	}
	f.Data = r.Rest(&Fields[fData])
}
