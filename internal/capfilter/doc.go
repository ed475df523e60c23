// Package capfilter compiles capture filters, in the language of pcap-filter, to
// classic BPF, and runs such programs on packets of files.
//
//	prog, err := capfilter.Compile("udp port 2302", 1)
//	vm, err := capfilter.NewVM(prog)
//	for … { keep := vm.Match(data, wireLength) }
//
// What an expression means is what pcap-filter(7) says, and what the program of
// tcpdump -O does, packet by packet. An expression of which this package does not
// know the meaning is refused, with the place marked.
//
// # From text to program
//
//	lexer.go parser.go primitive.go sum.go    text to a tree (ast.go)
//	cond.go link.go ident.go arith.go         the tree to tests of values (value.go),
//	                                          for the link type
//	graph.go                                  tests to blocks: tests of which the
//	                                          outcome is known are left out
//	emit.go layout.go                         blocks to instructions
//	vm.go                                     runs them; ddd.go reads those of others
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
//	             ^ % (beside others in parentheses), ( ), unary -
//
// An id without qualifiers takes those of the primitive to its left: port 80 or
// 443. After vlan, everything to its right looks beyond the tag, whatever joins
// it. Ids are numbers and addresses: names of hosts, services and networks are
// refused, since what they mean depends on the machine. Of a sum only the leftmost
// number says which packets have it: 255 & udp[8] = 3 looks at packets of all
// protocols, udp[8] & 255 = 3 at those of UDP.
//
// # Packets cut short
//
// Tests are made in the order in which they are written, up to the one that decides.
// One that looks beyond the captured end rejects the packet, even below a not, and so
// does a division by zero. tcpdump without -O leaves out or moves tests that cost time,
// and so may select a packet that ends within its headers where this package, as
// tcpdump -O, does not.
//
// On files, a place that is computed to lie before the start of a header, as in
// ip[len - 100] of a short packet, is one after the packet. The kernel takes such
// places from what lies before the header, for tcpdump as for this package.
package capfilter
