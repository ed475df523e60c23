// Package manual shows pages that are written in Markdown as text on a terminal and as
// manual pages. It knows as much of Markdown as the pages of this project use: headings,
// paragraphs, lists, tables, blocks of code, and code, emphasis and links within text.
package manual
