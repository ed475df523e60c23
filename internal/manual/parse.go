package manual

import (
	"strings"
)

type kind uint8

const (
	heading kind = iota
	paragraph
	item // of a list
	code
	table
)

// A block is a piece of a page.
type block struct {
	kind  kind
	level int // of a heading, from 1
	text  string
	rows  [][]string // of a table; the first are its heads
}

// A Page is what one page of Markdown holds.
type Page struct{ blocks []block }

// Parse reads a page.
func Parse(text string) *Page {
	p := &Page{}
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); {
		i = p.next(lines, i)
	}
	return p
}

// Section is the part of a page below a heading, which becomes the page's title. It ends at
// the next heading of the same level or a higher one. Where there is none, it is nil.
func (p *Page) Section(title string) *Page {
	for i := range p.blocks {
		b := &p.blocks[i]
		if b.kind != heading || b.text != title {
			continue
		}
		end := i + 1
		for end < len(p.blocks) && (p.blocks[end].kind != heading || p.blocks[end].level > b.level) {
			end++
		}
		s := &Page{append([]block(nil), p.blocks[i:end]...)}
		for k := range s.blocks {
			s.blocks[k].level -= b.level - 1
		}
		return s
	}
	return nil
}

// next reads the block that begins at a line and gives the line after it.
func (p *Page) next(lines []string, i int) int {
	line := lines[i]
	switch {
	case strings.TrimSpace(line) == "":
		return i + 1
	case strings.HasPrefix(line, "```"):
		return p.code(lines, i+1)
	case strings.HasPrefix(line, "#"):
		text := strings.TrimLeft(line, "#")
		p.blocks = append(p.blocks, block{kind: heading, level: len(line) - len(text), text: strings.TrimSpace(text)})
		return i + 1
	case strings.HasPrefix(line, "|"):
		return p.table(lines, i)
	}
	b := block{kind: paragraph, text: line}
	if rest, ok := strings.CutPrefix(line, "- "); ok {
		b = block{kind: item, text: rest}
	}
	for i++; i < len(lines) && continues(lines[i]); i++ {
		b.text += " " + strings.TrimSpace(lines[i])
	}
	p.blocks = append(p.blocks, b)
	return i
}

// continues reports a line that goes on with the paragraph or item before it.
func continues(line string) bool {
	for _, prefix := range []string{"#", "|", "- ", "```"} {
		if strings.HasPrefix(line, prefix) {
			return false
		}
	}
	return strings.TrimSpace(line) != ""
}

func (p *Page) code(lines []string, i int) int {
	b := block{kind: code}
	for ; i < len(lines) && !strings.HasPrefix(lines[i], "```"); i++ {
		b.text += lines[i] + "\n"
	}
	p.blocks = append(p.blocks, b)
	return i + 1
}

func (p *Page) table(lines []string, i int) int {
	b := block{kind: table}
	for ; i < len(lines) && strings.HasPrefix(lines[i], "|"); i++ {
		if !strings.HasPrefix(lines[i], "|---") {
			b.rows = append(b.rows, cells(lines[i]))
		}
	}
	p.blocks = append(p.blocks, b)
	return i
}

// cells are those of a line of a table. \| is no end of one.
func cells(line string) (row []string) {
	const bar = "\x00"
	line = strings.Trim(strings.ReplaceAll(strings.TrimSpace(line), `\|`, bar), "|")
	for _, c := range strings.Split(line, "|") {
		row = append(row, strings.ReplaceAll(strings.TrimSpace(c), bar, "|"))
	}
	return row
}

// A Row is one of a table, as plain text, with the heading that it stands below.
type Row struct {
	Heading      string
	Heads, Cells []string
}

// Rows are those of all tables of the page.
func (p *Page) Rows() (all []Row) {
	title := ""
	for i := range p.blocks {
		b := &p.blocks[i]
		if b.kind == heading {
			title = plain(b.text)
		}
		if b.kind != table {
			continue
		}
		for _, row := range b.rows[1:] {
			r := Row{Heading: title}
			for k, c := range row {
				r.Heads, r.Cells = append(r.Heads, plain(b.rows[0][k])), append(r.Cells, plain(c))
			}
			all = append(all, r)
		}
	}
	return all
}
