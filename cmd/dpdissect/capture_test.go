package main

import (
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/record"
)

// TestRingConditions: each condition of -b arrives where the recorder looks for it.
func TestRingConditions(t *testing.T) {
	c := captureCommand{ring: []string{"duration:3600", "interval:60", "filesize:100", "packets:7", "files:24", "total:2048"}}
	var got record.Ring
	if err := c.parseRing(&got); err != nil {
		t.Fatal(err)
	}
	want := record.Ring{Duration: time.Hour, Interval: time.Minute, FileSize: 100 << 10, Packets: 7, Keep: record.Retention{Files: 24, Bytes: 2 << 20}}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
