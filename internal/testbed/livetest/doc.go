// Package livetest tests live capture from the outside: it builds the program and
// runs it as users do, in network namespaces of its own, while endpoints of package
// tracegen talk over real sockets and tell what is true of what was captured.
//
// It needs Linux, root and the program ip; some tests need tshark, capinfos,
// tcpdump or tmux. Elsewhere, and with -short, they are skipped and say so.
//
//	DPDISSECT_FLOOD=1000000 go test -run Flood -v ./internal/testbed/livetest
//
// floods with so many packets in place of the number that is quick.
package livetest
