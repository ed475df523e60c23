package session

import "slices"

// Quality are the rules of capture quality and field diagnosis. They blame no
// endpoint.
var Quality = slices.Concat(captureRules[:], fieldRules[:])
