//go:build !(libpcap && cgo)

package capture

// anyLink is the link type of the device that stands for all interfaces, and of
// those of which packets are taken without their link layer.
const anyLink = LinkSLL2
