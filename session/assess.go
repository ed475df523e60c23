package session

import "github.com/dpdissect/dpdissect/dissect"

// assess draws the conclusions about the capture of a connection that is settled,
// and says what most likely troubled it.
func (c *Conn) assess() {
	c.assessCapture()
	for dir := range dissect.Dirs {
		c.assessSide(dir)
		c.diagnoseSide(dir)
	}
	c.diagnose()
}
