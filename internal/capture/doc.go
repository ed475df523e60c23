// Package capture turns capture files into UDP datagrams. It reads pcap and
// pcapng, plain or compressed, merges several files by time, takes the link and
// network layers apart, puts IP fragments together and verifies checksums.
//
//	Source   several inputs, merged and decoded: what commands use
//	Reader   the packets of one file as they stand in it
//	Decoder  one packet into a datagram, with memory of fragments
//	Writer   pcap and pcapng files
//
// Damage never panics, never makes memory follow a length field and never takes
// back what was read before it. The package is the only user of gopacket: Reader
// presents gopacket.PacketDataSource, and gopacket/layers is the oracle of the
// tests.
package capture
