// Package plot draws numbers over time with braille patterns, for terminals.
package plot

// A canvas is a picture of dots, two in width and four in height to a character.
type canvas struct {
	columns, rows int // characters
	cells         []uint8
}

func newCanvas(columns, rows int) *canvas {
	return &canvas{columns, rows, make([]uint8, columns*rows)}
}

// bits are the dots of a braille pattern, which begin at U+2800, by column and by row from
// below (Unicode, block Braille Patterns).
var bits = [2][4]uint8{{0x40, 0x04, 0x02, 0x01}, {0x80, 0x20, 0x10, 0x08}}

// set draws the dot at x from the left and y from below.
func (c *canvas) set(x, y int) {
	row := c.rows - 1 - y/4
	c.cells[row*c.columns+x/2] |= bits[x%2][y%4]
}

// lines gives the rows, the uppermost first, each as wide as the canvas.
func (c *canvas) lines() []string {
	lines := make([]string, c.rows)
	for i := range lines {
		row := make([]rune, c.columns)
		for x := range row {
			row[x] = blank
			if dots := c.cells[i*c.columns+x]; dots != 0 {
				row[x] = 0x2800 + rune(dots)
			}
		}
		lines[i] = string(row)
	}
	return lines
}

// blank is drawn where there is no dot: terminals draw the pattern without dots in
// different ways.
const blank = ' '
