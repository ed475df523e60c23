package capture

import "errors"

func mkfifo(string) error { return errors.New("there are no named pipes in folders here") }
