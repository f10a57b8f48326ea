package layout

// Carried is a value of a context that goes along with a message, by its name between machines.
type Carried struct {
	Name  string
	Value []byte
}

// joinedValues returns values as one part.
func joinedValues(all []Carried) string {
	var b []byte
	for _, v := range all {
		b = AppendParts(b, v.Name, string(v.Value))
	}
	return string(b)
}

// partedValues reads what joinedValues has made, of which it keeps no part.
func partedValues(part string) (all []Carried, err error) {
	for rest := []byte(part); len(rest) > 0; {
		var v [2]string
		if rest, err = CutParts(rest, v[:]); err != nil {
			return nil, err
		}
		all = append(all, Carried{v[0], []byte(v[1])})
	}
	return all, nil
}
