package rules

import "slices"

// Rules that most datagrams and messages pass together; see session.RuleSets.
const (
	setDatagram     = iota // any datagram
	setNumber              // PacketID that is new and in its place
	setGoesOn              // … of a datagram with data, while both sides speak and are heard
	setAcked               // first acknowledgement of a reliable datagram
	setPage                // any datagram of Spec
	setDepends             // … with InOrder
	setMessage             // any message
	setCode                // message of Spec with codes 1 to 5
	setSingle              // … with code 6
	setMulti               // … with code 7
	setStart               // first fragment
	setFragment            // any fragment
	setLater               // later fragment of Spec
	setKind                // PingRequest; the other kinds follow in their order, for Reference
	setKindPage     = setKind + 9
	numSets         = setKindPage + 9
	setKindOverhead = 1 // of Application, which has no set
)

// ruleSets gives the sets in the order of their indexes.
func ruleSets() [][]int {
	kinds := [9][]int{
		{rRmPingLen, rRmPingRel, rRmNofrag}, {rRmPongLen, rRmPongRel, rRmNofrag}, {rRmFlowLen, rRmFlowRel, rRmNofrag, rFcRange},
		{rRmAckLen, rRmAckRel, rRmNofrag, rRdAckSpan, rRmIdmap}, {rRmDiscLen, rRmNofrag}, {rRmDiscackLen, rRmNofrag},
		nil, nil, nil}
	page := [9][]int{
		{rRmPlainOrder}, {rRmPlainOrder}, {rRmPlainOrder}, {rRmPlainOrder}, {rRmDiscRel, rRmDiscOrder}, {rRmDiscRel, rRmDiscOrder},
		{rRmSynRel, rRmPlainOrder, rRmNofrag}, {rRmSynRel, rRmPlainOrder, rRmNofrag}, {rRmConnackLen, rRmConnackRel, rRmPlainOrder, rRmNofrag}}
	sets := [numSets][]int{
		setDatagram: {rDgMinlen, rDgFill, rDgVleFit, rDgVleMin, rDgEmpty, rDgSize},
		setNumber:   {rDgIdUnique, rDgIdBack},
		setGoesOn:   {rDgIdUnique, rDgIdBack, rRtKeepalive, rCvLost},
		setAcked:    {rRdAckUnrel, rRdAckDup},
		setPage:     {rDgInorderNeed},
		setDepends:  {rDgIodfit, rDgIodzero, rDgInorderIdle, rIoDupdep},
		setMessage:  {rMbLen, rMbLen0, rCtMsgid},
		setCode:     {rMbCode15},
		setSingle:   {rMbSingle, rMbSingleShort},
		setMulti:    {rMbMulti, rMbMultiCount, rMbMultiDup},
		setStart:    {rMbFstart, rMbFragcount},
		setFragment: {rMbFragsize, rFrReliable},
		setLater:    {rFrOrder},
	}
	for i := range kinds {
		sets[setKind+i] = kinds[i]
		sets[setKindPage+i] = slices.Concat(kinds[i], page[i])
	}
	return sets[:]
}
