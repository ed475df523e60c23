// Package capfilter compiles capture filters, in the language of pcap-filter, to
// classic BPF, and runs such programs on packets of files.
//
//	prog, err := capfilter.Compile("udp port 2302", 1)
//	vm, err := capfilter.NewVM(prog)
//	for … { keep := vm.Match(data, wireLength) }
//
// tcpdump is the measure: an expression either selects exactly the packets that
// the program of tcpdump -ddd selects, those cut short included, or is refused
// with the place marked.
//
// # Language
//
//	expression = term {(and | or) (term | id)}       and, or bind alike, to the left
//	term       = [not] (primitive | relation | "(" expression ")")
//	primitive  = [protocol] [direction] [host | net | port | portrange] id
//	           | [ether | ip | ip6] proto id | protocol | vlan [number]
//	           | less number | greater number
//	           | [ether] broadcast | [ether | ip | ip6] multicast
//	direction  = src | dst | src or dst | src and dst
//	protocol   = ether ip ip6 arp rarp icmp icmp6 igmp tcp udp sctp ah esp pim vrrp carp igrp
//	relation   = sum (= | == | != | < | <= | > | >=) sum
//	sum        = numbers, len, protocol "[" sum [":" 1|2|4] "]", names as tcp-syn,
//	             joined by | & << >> + - * / from the loosest to the tightest,
//	             ^ % (see precedence), ( ), unary -
//
// An id without qualifiers takes those of the primitive to its left: port 80 or
// 443. After vlan, everything to its right looks behind the tag, whatever joins
// it. Ids are numbers and addresses: names of hosts, services and networks are
// refused, since what they mean depends on the machine.
//
// # Packets cut short
//
// A load behind the captured end rejects the packet, even below a not. So which
// test comes first is part of the meaning of an expression, and tcpdump changes
// it where that saves loads. This package moves tests in the same way (see
// group), and refuses expressions of which random trials showed that its programs
// differ from what can be foreseen: most contradict or repeat themselves (see
// optimize).
//
// On files, a place that is computed to lie before the start of a header, as in
// ip[len - 100] of a short packet, is one behind the packet. The kernel takes such
// places from what lies before the header, for tcpdump as for this package.
package capfilter
