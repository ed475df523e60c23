package wireshark

import "embed"

// templates are none in the page that analyses captures in the browser: it installs no plugin,
// and everybody who opens it would load them.
var templates embed.FS
