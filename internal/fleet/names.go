package fleet

import (
	"errors"
	"fmt"
	"hash/fnv"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dpdissect/dpdissect/internal/tables"
)

// Partitions is how many steps are worked on at a time, at most, unless `serve --partitions` says so.
const Partitions = 64

// Steps of a chain have numbers below this one: files have room for eight digits.
const maxSteps = 100_000_000

// maxEncoded is how many bytes a name has at most that is encoded: with a step and an extension it is
// the name of a file.
const maxEncoded = 230

// CheckName says what is wrong with the name of a point or a chain.
func CheckName(s string) error {
	if err := tables.CheckName(s); err != nil {
		return err
	}
	if len(token(s)) > maxEncoded {
		return fmt.Errorf("is longer than %d bytes where it is the name of a file", maxEncoded)
	}
	return nil
}

// token is a name as a part of a subject or key: all but letters, digits, - and _ are encoded, so
// no name reaches into another part.
func token(name string) string { return strings.ReplaceAll(tables.FileName(name), "%", "=") }

// untoken is the name of a token.
func untoken(s string) (string, error) {
	name, err := url.PathUnescape(strings.ReplaceAll(s, "=", "%"))
	if err == nil && token(name) != s {
		err = errors.New("is encoded in another way")
	}
	if err == nil {
		err = CheckName(name)
	}
	return name, err
}

// partition is where the steps of a chain are queued.
func partition(point, chain string, partitions int) int {
	h := fnv.New64a()
	h.Write([]byte(point))
	h.Write([]byte{0})
	h.Write([]byte(chain))
	return int(h.Sum64() % uint64(partitions))
}

// ofChain is a chain as the end of a subject, and as a key.
func ofChain(point, chain string) string { return token(point) + "." + token(chain) }

func (q *Queue) workSubject(point, chain string) string {
	return fmt.Sprintf("%s.work.%d.%s", q.o.Prefix, partition(point, chain, q.partitions), ofChain(point, chain))
}

func (q *Queue) stepSubject(point, chain string, step int) string {
	return fmt.Sprintf("%s.steps.%s.%d", q.o.Prefix, ofChain(point, chain), step)
}

// chainSubject is where the record of a chain is written; key is ofChain.
func (q *Queue) chainSubject(key string) string { return "$KV." + q.o.Prefix + "_chains." + key }

func (q *Queue) deadSubject(point, chain string) string {
	return q.o.Prefix + ".dead." + ofChain(point, chain)
}

// chainOf reads point and chain out of a subject that ends with them.
func chainOf(subject string) (point, chain string, err error) {
	parts := strings.Split(subject, ".")
	if len(parts) < 2 {
		return "", "", errors.New("names no chain")
	}
	if point, err = untoken(parts[len(parts)-2]); err == nil {
		chain, err = untoken(parts[len(parts)-1])
	}
	return point, chain, err
}

// Own is the name of a chain that goes on by itself from a step of another one.
func Own(chain string, step int) string {
	end := "~" + strconv.Itoa(step)
	for CheckName(chain+end) != nil && chain != "" {
		_, n := utf8.DecodeLastRuneInString(chain)
		chain = chain[:len(chain)-n]
	}
	return chain + end
}

// stateName is the name of a state by its content: who comes late with another one replaces nothing.
func stateName(point, chain string, step int, sum []byte) string {
	return fmt.Sprintf("%s.%d.%x", ofChain(point, chain), step, sum[:8])
}

// stateStep is the step that left a state, -1 for none.
func stateStep(name string) int {
	parts := strings.Split(name, ".")
	if len(parts) != 4 {
		return -1
	}
	n, err := strconv.Atoi(parts[2])
	if err != nil {
		return -1
	}
	return n
}
