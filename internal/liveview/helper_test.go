package liveview

import "github.com/dpdissect/dpdissect/dissect"

func protocol(name string) *dissect.Protocol { return &dissect.Protocol{Name: name} }
