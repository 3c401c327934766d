package lab

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// fragmentValues takes a fragment apart that must be of a lab and a version that
// is known.
func fragmentValues(fragment, lab string) (url.Values, error) {
	fragment = strings.TrimPrefix(fragment, "#")
	if len(fragment) > 4096 {
		return nil, errors.New("the link is longer than any that this lab makes, so it was not read")
	}
	values, err := url.ParseQuery(fragment)
	if err != nil {
		return nil, fmt.Errorf("the link's settings %s cannot be read, so the lab opened with its own", quote(fragment))
	}
	if v := values.Get("v"); v != "" && v != linkVersion {
		return nil, fmt.Errorf("the link is of version %s and this lab reads version %s; reload the page to update it", quote(v), linkVersion)
	}
	if v := values.Get("lab"); v != "" && v != lab {
		return nil, fmt.Errorf("the link is for a lab called %s, and this is %s", quote(v), lab)
	}
	delete(values, "v")
	delete(values, "lab")
	return values, nil
}

// assignAll assigns the settings that are named, in their order, and returns what
// was wrong.
func assignAll(values url.Values, names []string, assign func(name, value string) error) (wrong []error) {
	for _, name := range names {
		if v, ok := values[name]; ok {
			if err := assign(name, v[len(v)-1]); err != nil {
				wrong = append(wrong, err)
			}
		}
	}
	for name := range values {
		if !slices.Contains(names, name) {
			wrong = append(wrong, fmt.Errorf("there is no setting called %s", quote(name)))
			break // one is enough to say that the link is not ours
		}
	}
	return wrong
}
