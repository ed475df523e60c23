package capfilter

// protocols are the words that name a protocol. The number is the one that IP
// knows it by, where the word alone is a test for it.
var protocols = map[string]struct {
	ip4, ip6 bool   // a test looks at packets of these
	number   uint32 // in the IP header
}{
	"ether": {}, "link": {}, "ip": {}, "ip6": {}, "arp": {}, "rarp": {},
	"icmp": {true, false, 1}, "igmp": {true, false, 2}, "igrp": {true, false, 9},
	"tcp": {true, true, 6}, "udp": {true, true, 17}, "esp": {true, true, 50}, "ah": {true, true, 51},
	"icmp6": {false, true, 58}, "pim": {true, true, 103}, "vrrp": {true, false, 112},
	"carp": {true, false, 112}, "sctp": {true, true, 132},
}

// etherTypes are the words that the link layer's header has a number for.
var etherTypes = map[string]uint32{"ip": 0x800, "ip6": 0x86dd, "arp": 0x806, "rarp": 0x8035}

// indexable are the protocols that [ ] looks into.
var indexable = map[string]bool{
	"ether": true, "link": true, "ip": true, "ip6": true, "arp": true, "rarp": true, "icmp": true, "icmp6": true,
	"igmp": true, "igrp": true, "tcp": true, "udp": true, "pim": true, "vrrp": true, "carp": true, "sctp": true,
}

// ipNames are the names that proto takes, with or without a backslash unless they
// are keywords too.
var ipNames = map[string]uint32{
	"icmp": 1, "igmp": 2, "tcp": 6, "udp": 17, "gre": 47, "esp": 50, "ah": 51,
	"ipv6-icmp": 58, "pim": 103, "vrrp": 112, "sctp": 132,
}

// types are the words for what an id is.
var types = map[string]bool{"host": true, "net": true, "port": true, "portrange": true}

// otherWords are keywords of the language that this package does without.
var otherWords = map[string]bool{
	"gateway": true, "protochain": true, "inbound": true, "outbound": true, "ifindex": true, "mpls": true,
	"pppoed": true, "pppoes": true, "geneve": true, "iso": true, "clnp": true, "esis": true, "isis": true,
	"decnet": true, "lat": true, "moprc": true, "mopdl": true, "sca": true, "atalk": true, "aarp": true,
	"stp": true, "ipx": true, "netbeui": true, "fddi": true, "tr": true, "wlan": true, "ppp": true, "slip": true,
	"radio": true, "llc": true, "type": true, "subtype": true, "dir": true, "addr1": true, "addr2": true,
	"addr3": true, "addr4": true, "ra": true, "ta": true, "lane": true, "metac": true, "bcc": true, "oam": true,
	"oamf4": true, "oamf4ec": true, "oamf4sc": true, "oamf4s": true, "oamf4e": true, "sc": true, "ilmic": true,
	"vpi": true, "vci": true, "connectmsg": true, "metaconnect": true, "sio": true, "opc": true, "dpc": true,
	"sls": true, "hsio": true, "hopc": true, "hdpc": true, "hsls": true, "fisu": true, "lssu": true, "lsu": true,
	"msu": true, "hfisu": true, "hlssu": true, "hmsu": true, "csnp": true, "psnp": true, "iih": true, "lsp": true,
	"snp": true, "es-is": true, "is-is": true, "l1": true, "l2": true, "ifname": true, "on": true, "rnr": true,
	"rulenum": true, "reason": true, "rset": true, "ruleset": true, "srnr": true, "subrulenum": true, "action": true,
	"byte": true,
}

// plainWords are the keywords that are neither protocols nor types.
var plainWords = map[string]bool{
	"src": true, "dst": true, "proto": true, "broadcast": true, "multicast": true, "less": true, "greater": true,
	"len": true, "length": true, "vlan": true, "mask": true, "and": true, "or": true, "not": true,
}

// isKeyword tells words of the language from names.
func isKeyword(word string) bool {
	_, proto := protocols[word]
	_, number := numbers[word]
	return proto || number || types[word] || plainWords[word] || otherWords[word]
}

// numbers are the names of numbers in sums: places in headers, types of ICMP
// and flags of TCP.
var numbers = map[string]uint32{
	"icmptype": 0, "icmpcode": 1, "icmp6type": 0, "icmp6code": 1, "tcpflags": 13,
	"tcp-fin": 1, "tcp-syn": 2, "tcp-rst": 4, "tcp-push": 8, "tcp-ack": 16, "tcp-urg": 32, "tcp-ece": 64, "tcp-cwr": 128,
	"icmp-echoreply": 0, "icmp-unreach": 3, "icmp-sourcequench": 4, "icmp-redirect": 5, "icmp-echo": 8,
	"icmp-routeradvert": 9, "icmp-routersolicit": 10, "icmp-timxceed": 11, "icmp-paramprob": 12, "icmp-tstamp": 13,
	"icmp-tstampreply": 14, "icmp-ireq": 15, "icmp-ireqreply": 16, "icmp-maskreq": 17, "icmp-maskreply": 18,
	"icmp6-destinationunreach": 1, "icmp6-packettoobig": 2, "icmp6-timeexceeded": 3, "icmp6-parameterproblem": 4,
	"icmp6-echo": 128, "icmp6-echoreply": 129, "icmp6-multicastlistenerquery": 130,
	"icmp6-multicastlistenerreportv1": 131, "icmp6-multicastlistenerdone": 132, "icmp6-routersolicit": 133,
	"icmp6-routeradvert": 134, "icmp6-neighborsolicit": 135, "icmp6-neighboradvert": 136, "icmp6-redirect": 137,
	"icmp6-routerrenum": 138, "icmp6-nodeinformationquery": 139, "icmp6-nodeinformationresponse": 140,
	"icmp6-ineighbordiscoverysolicit": 141, "icmp6-ineighbordiscoveryadvert": 142,
	"icmp6-multicastlistenerreportv2": 143, "icmp6-homeagentdiscoveryrequest": 144,
	"icmp6-homeagentdiscoveryreply": 145, "icmp6-mobileprefixsolicit": 146, "icmp6-mobileprefixadvert": 147,
	"icmp6-certpathsolicit": 148, "icmp6-certpathadvert": 149, "icmp6-multicastrouteradvert": 151,
	"icmp6-multicastroutersolicit": 152, "icmp6-multicastrouterterm": 153,
}
