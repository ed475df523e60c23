package inputs

import (
	"fmt"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/session"
)

// TellInternal tells what went wrong in this program, a line each. The error says that something
// did.
func TellInternal(tell func(line string), all []session.InternalError) error {
	for i := range all {
		e := &all[i]
		where := "an address pair"
		if e.Conn != nil {
			where = fmt.Sprintf("the connection of %s and %s", e.Conn.A, e.Conn.B)
		}
		tell(fmt.Sprintf("internal error in %s at frame %d: %s; the rest was analysed", where, e.Frame, e.Message))
	}
	if len(all) == 0 {
		return nil
	}
	return exit.ErrInternal
}

// TellProblems tells what is wrong with inputs, a line each. The error says that one failed.
func TellProblems(tell func(line string), infos []capture.Info) (err error) {
	for i := range infos {
		if infos[i].Unfit != nil {
			return fmt.Errorf("%s: %w", Name(infos[i].Path), infos[i].Unfit)
		}
		if infos[i].Problem != "" {
			tell(Name(infos[i].Path) + ": " + infos[i].Problem)
		}
		if infos[i].Failed {
			err = exit.ErrInput
		}
	}
	return err
}

// Name is what messages call an input.
func Name(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}
