package lab

import (
	"fmt"
	"os"
	"testing"
)

func TestZZShow(t *testing.T) {
	r, err := ParseEndRun(os.Getenv("RUN"))
	if err != nil {
		t.Skip()
	}
	s, _ := r.Play()
	f, _ := os.Create("/tmp/h-g/run.pcap")
	s.Write(f)
	f.Close()
	d, _ := Explained(s)
	for _, c := range d.Connections {
		fmt.Println(c.ID, c.A, c.B, c.Verdict.Cause, c.Verdict.Certainty, c.Verdict.Sentence)
		for _, x := range c.Contributing {
			fmt.Println("   ", x.Cause, x.Certainty, x.From, x.To, x.Sentence)
		}
	}
}
