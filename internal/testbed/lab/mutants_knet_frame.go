package lab

import (
	"slices"
	"strings"

	"github.com/dpdissect/dpdissect/knet"
)

// knetFrame break the rules of datagrams and blocks.
func knetFrame() []Mutant { return knetMutantsOf(knetFrameCases()) }

func knetFrameCases() []knetCase {
	return slices.Concat(knetDatagramCases(), knetBlockCases(), knetFragmentCases())
}

// knetDatagramCases break the rules of what a datagram holds besides its messages.
func knetDatagramCases() []knetCase {
	return []knetCase{
		{rule: "KN-DG-MINLEN", name: "sends two bytes", fault: func(uint32) []byte { return []byte{5, 0} }},
		{rule: "KN-DG-MINLEN", name: "sends two bytes of the library", lib: true, fault: func(uint32) []byte { return []byte{5, 1} }},
		{rule: "KN-DG-FILL", name: "leaves a byte behind the last message", fault: func(id uint32) []byte { return knetTail(page(id, false, knetApp("x")), 9) },
			near: func(id uint32) []byte { return page(id, false, knetApp("x"), knetApp("y")) }},
		{rule: "KN-DG-FILL", name: "leaves a byte behind the last message of the library", lib: true, fault: func(id uint32) []byte { return knetTail(lib(id, knetApp("x")), 9) }},
		{rule: "KN-DG-FILL", name: "ends within the list of indexes", fault: func(id uint32) []byte {
			return knetTail(pageOn(id, false, on(2)), 0, 0x38, 4, 0, 1)
		}},
		{rule: "KN-DG-EMPTY", name: "sends no message", fault: func(id uint32) []byte { return page(id, false) }},
		{rule: "KN-DG-IODFIT", name: "counts nine dependencies in three bytes", fault: func(id uint32) []byte { return knetTail(pageOn(id, false, nil)[:3], 9, 1, 2, 3) },
			near: func(id uint32) []byte { return pageOn(id, false, on(1), knetCoded(knetApp("x"), 1)) }},
		{rule: "KN-DG-IODZERO", name: "sets InOrder and lists nothing", fault: func(id uint32) []byte { return pageOn(id, false, nil, knetApp("x")) },
			near: func(id uint32) []byte { return pageOn(id, false, on(1), knetCoded(knetApp("x"), 1)) }},
		{rule: "KN-DG-INORDER-NEED", name: "uses a code without InOrder", fault: func(id uint32) []byte { return page(id, false, knetCoded(knetApp("x"), 1)) },
			near: func(id uint32) []byte { return pageOn(id, false, on(1), knetCoded(knetApp("x"), 1)) }},
		{rule: "KN-DG-INORDER-NEED", name: "uses code 6 without InOrder", fault: func(id uint32) []byte { return page(id, false, knetCoded(knetApp("x"), 6, 0)) }},
		{rule: "KN-DG-INORDER-IDLE", name: "sets InOrder for nothing", fault: func(id uint32) []byte { return pageOn(id, false, on(1), knetApp("x")) },
			near: func(id uint32) []byte { return pageOn(id, false, on(1), knetApp("y"), knetCoded(knetApp("x"), 1)) }},
		{rule: "KN-DG-VLE-MIN", name: "writes a MessageID longer than needed", fault: func(id uint32) []byte {
			return page(id, false, knet.Message{ID: knet.VLE{Value: 20, Size: 2}, Body: []byte("x")})
		}},
		{rule: "KN-DG-VLE-MIN", name: "writes a base longer than needed", lib: true, fault: func(id uint32) []byte {
			return []byte{byte(id&63) | 0x40, byte(id >> 6), byte(id >> 14), 0x88, 0x93, 0, 0, 2, 0x10, 0, 20, 1}
		}},
		{rule: "KN-DG-VLE-FIT", name: "cuts the MessageID", also: []string{"KN-CT-MSGID"}, fault: func(id uint32) []byte { return knetTail(page(id, false), 1, 0, 0x85) }},
		{rule: "KN-DG-VLE-FIT", name: "cuts the last message index", also: []string{"KN-DG-IODFIT"}, fault: func(id uint32) []byte { return knetTail(pageOn(id, false, nil)[:3], 1, 5, 0x85) }},
		{rule: "KN-DG-VLE-FIT", name: "cuts a FragmentCount", fault: func(id uint32) []byte { return knetTail(page(id, true), 5, 0xc0, 0x85) }},
		{rule: "KN-DG-VLE-FIT", name: "cuts the base", lib: true, fault: func(id uint32) []byte {
			return append(lib(id, knetFlags(knetApp("x"), knet.MessageReliable))[:3], 0x88, 0x93, 1)
		}},
		{rule: "KN-DG-SIZE", name: "sends 3,000 bytes", fault: func(id uint32) []byte {
			return page(id, false, knetApp(strings.Repeat("x", 1500)), knetApp(strings.Repeat("y", 1480)))
		}, near: func(id uint32) []byte { return page(id, false, knetApp(strings.Repeat("x", 1390))) }},
	}
}

// knetBlockCases break the rules of the block that a message lies in: its length, its
// bits and the codes of its order.
func knetBlockCases() []knetCase {
	return []knetCase{
		{rule: "KN-MB-LEN", name: "says 200 bytes where 50 are left", fault: func(id uint32) []byte {
			return knetTail(page(id, false), knetTail([]byte{200, 0}, []byte(strings.Repeat("\x14", 50))...)...)
		}},
		{rule: "KN-MB-LEN", name: "says 200 bytes where 50 of the library are left", lib: true, fault: func(id uint32) []byte {
			return knetTail(lib(id), knetTail([]byte{200, 0}, []byte(strings.Repeat("\x14", 50))...)...)
		}},
		{rule: "KN-MB-LEN", name: "says 4 bytes behind which nothing is", fault: func(id uint32) []byte { return knetTail(page(id, false), 4, 0) }},
		{rule: "KN-MB-LEN", name: "says 8 bytes of a PacketAck and ends before", fault: func(id uint32) []byte { return knetTail(page(id, false), 8, 0, 3, 1, 0, 0) }},
		{rule: "KN-MB-LEN0", name: "sends a message without content", fault: func(id uint32) []byte { return knetTail(page(id, false), 0, 0) },
			near: func(id uint32) []byte { return page(id, false, knetApp("")) }},
		{rule: "KN-MB-LEN0", name: "sends a message of the library without content", lib: true, fault: func(id uint32) []byte { return knetTail(lib(id), 0, 0) },
			near: func(id uint32) []byte { return lib(id, knetApp("")) }},
		{rule: "KN-MB-FSTART", name: "sets FragmentStart alone", fault: func(id uint32) []byte {
			m := knetStart(77, 2, "x")
			m.Bits = knet.FragmentStart
			return page(id, true, m, knetLater(77, 1, "y"))
		}, near: func(id uint32) []byte { return page(id, true, knetStart(77, 2, "x"), knetLater(77, 1, "y")) }},
		{rule: "KN-MB-CODE15", name: "uses code 4 of two", fault: func(id uint32) []byte { return pageOn(id, false, on(2), knetCoded(knetApp("x"), 4)) },
			near: func(id uint32) []byte { return pageOn(id, false, on(4), knetCoded(knetApp("x"), 4)) }},
		{rule: "KN-MB-SINGLE", name: "uses index 6 of six", fault: func(id uint32) []byte { return pageOn(id, false, on(6), knetCoded(knetApp("x"), 6, 6)) },
			near: func(id uint32) []byte { return pageOn(id, false, on(6), knetCoded(knetApp("x"), 6, 5)) }},
		{rule: "KN-MB-SINGLE-SHORT", name: "uses index 2", fault: func(id uint32) []byte { return pageOn(id, false, on(6), knetCoded(knetApp("x"), 6, 2)) },
			near: func(id uint32) []byte { return pageOn(id, false, on(6), knetCoded(knetApp("x"), 6, 5)) }},
		{rule: "KN-MB-MULTI", name: "uses index 5 of three", fault: func(id uint32) []byte { return pageOn(id, false, on(3), knetCoded(knetApp("x"), 7, 0, 5)) },
			near: func(id uint32) []byte { return pageOn(id, false, on(3), knetCoded(knetApp("x"), 7, 0, 2)) }},
		{rule: "KN-MB-MULTI-COUNT", name: "lists no index", fault: func(id uint32) []byte { return pageOn(id, false, on(3), knetCoded(knetApp("x"), 7)) },
			near: func(id uint32) []byte { return pageOn(id, false, on(3), knetCoded(knetApp("x"), 7, 0, 2)) }},
		{rule: "KN-MB-MULTI-DUP", name: "lists an index twice", fault: func(id uint32) []byte { return pageOn(id, false, on(3), knetCoded(knetApp("x"), 7, 1, 1)) },
			near: func(id uint32) []byte { return pageOn(id, false, on(3), knetCoded(knetApp("x"), 7, 1, 2)) }},
	}
}

// knetFragmentCases break the rules of fragments, of MessageIDs and of what a message
// depends on.
func knetFragmentCases() []knetCase {
	const lengthFits = 3
	return []knetCase{
		{rule: "KN-MB-FRAGCOUNT", name: "counts no fragment", fault: func(id uint32) []byte { return page(id, true, knetStart(77, 0, "x")) },
			near: func(id uint32) []byte { return page(id, true, knetStart(77, 2, "x"), knetLater(77, 1, "y")) }},
		{rule: "KN-MB-FRAGCOUNT", name: "counts no fragment of the library", lib: true, fault: func(id uint32) []byte { return lib(id, knetFlags(knetStart(77, 0, "x"), knet.MessageReliable)) },
			near: libTransfer},
		{rule: "KN-MB-FRAGNUM", name: "numbers fragment 7 of 5", fault: func(id uint32) []byte { return page(id, true, knetStart(77, 5, "x"), knetLater(77, 7, "y")) },
			near: func(id uint32) []byte { return page(id, true, knetStart(77, 5, "x"), knetLater(77, 4, "y")) }},
		{rule: "KN-MB-FRAGSIZE", name: "sends fragments of 900 bytes", fault: func(id uint32) []byte { return page(id, true, knetStart(77, 2, strings.Repeat("x", 900))) },
			near: func(id uint32) []byte { return page(id, true, knetStart(77, 2, strings.Repeat("x", 469))) }},
		{rule: "KN-CT-MSGID", name: "gives a MessageID of 4 bytes one", also: []string{"KN-DG-VLE-FIT"}, fault: func(id uint32) []byte { return knetTail(page(id, false), 1, 0, 0xfd, 0xff, 0xff, 0xff) },
			near: func(id uint32) []byte { return knetTail(page(id, false), 4, 0, 0xe0, 0xff, 0xff, 0xff) }},
		{rule: "KN-CT-MSGID", name: "gives a MessageID of the library one byte", lib: true, also: []string{"KN-DG-VLE-FIT"}, fault: func(id uint32) []byte { return knetTail(lib(id), 1, 0, 0xfd) }},
		{rule: "KN-FR-RELIABLE", name: "sends a fragment unreliable", fault: func(id uint32) []byte { return page(id, false, knetStart(77, 2, "x")) },
			near: func(id uint32) []byte { return page(id, true, knetStart(77, 2, "x"), knetLater(77, 1, "y")) }},
		{rule: "KN-FR-RELIABLE", name: "sends a fragment of the library unreliable", lib: true, fault: func(id uint32) []byte { return lib(id, knetStart(77, 2, "x")) },
			near: libTransfer},
		{rule: "KN-FR-ORDER", name: "orders a later fragment", fault: func(id uint32) []byte {
			return pageOn(id, true, on(1), knetStart(77, 2, "x"), knetCoded(knetLater(77, 1, "y"), 1))
		},
			near: func(id uint32) []byte {
				return pageOn(id, true, on(1), knetCoded(knetStart(77, 2, "x"), 1), knetLater(77, 1, "y"))
			}},
		{rule: "KN-IO-DUPDEP", name: "lists a dependency twice", fault: func(id uint32) []byte {
			return pageOn(id, false, []knet.Dependency{{Delta: lengthFits}, {Delta: lengthFits}}, knetCoded(knetApp("x"), 1))
		}, near: func(id uint32) []byte {
			return pageOn(id, false, []knet.Dependency{{Delta: lengthFits}, {Delta: lengthFits, Index: 1}}, knetCoded(knetApp("x"), 1))
		}},
	}
}

// libTransfer is a whole transfer of the library in one datagram.
func libTransfer(id uint32) []byte {
	m := knetFlags(knetLater(77, 1, "y"), knet.MessageReliable)
	m.Delta = knet.Num(1)
	return lib(id, knetFlags(knetStart(77, 2, "x"), knet.MessageReliable), m)
}
