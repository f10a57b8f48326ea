package codec

import (
	"fmt"
	"reflect"
	"strings"
)

// checker looks at a type and at all types in it for what JSON would lose.
type checker struct {
	seen   map[place]bool // types may lead back to themselves
	widest uintptr
	calls  bool // a type has methods of the user's
}

// place is a type, and whether its values are variables, so that encoding/json calls methods of
// pointers to them. The values in a map are not.
type place struct {
	t        reflect.Type
	variable bool
}

// value returns why values of t cannot be JSON, nil if they can. path names where they lie.
func (c *checker) value(t reflect.Type, path string, variable bool) error {
	if c.seen[place{t, variable}] {
		return nil
	}
	c.seen[place{t, variable}] = true
	c.widest = max(c.widest, t.Size())
	if result, ok := futureOf(t); ok {
		return c.value(result, path+"'s result", true)
	}
	if own, err := ownJSON(t, path, variable); own || err != nil {
		c.calls = c.calls || !trusted(t)
		return err
	}
	switch t.Kind() {
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		return fmt.Errorf("%s is a %v, and there is no form for a %v; %s", path, t, t.Kind(), leaveOut)
	case reflect.Interface:
		return fmt.Errorf("%s is an interface, %v, and nothing would tell the type of what is in it; "+
			"use one type, a struct with a pointer for each type, or json.RawMessage for any JSON", path, t)
	case reflect.Pointer:
		if t.Elem().Kind() == reflect.Pointer {
			return fmt.Errorf("%s is a %v, and JSON does not tell a nil pointer from a pointer to one; use one pointer", path, t)
		}
		return c.value(t.Elem(), path, true)
	case reflect.Slice:
		return c.value(t.Elem(), path+"[]", true)
	case reflect.Array:
		return c.value(t.Elem(), path+"[]", variable)
	case reflect.Map:
		if err := key(t.Key(), path); err != nil {
			return err
		}
		c.calls = c.calls || t.Key().Implements(textMarshaler) && !trusted(t.Key())
		c.widest = max(c.widest, t.Key().Size()+t.Elem().Size())
		return c.value(t.Elem(), path+"[]", false)
	case reflect.Struct:
		return c.structure(t, path, variable, fields{map[string]string{}, map[reflect.Type]bool{}})
	}
	return nil
}

// leaveOut says what to do about a field that cannot be stored.
const leaveOut = "leave the field out with the tags durable:\"-\" json:\"-\", and make it again when it is needed"

// fields are the fields of a struct, with those of the structs that it embeds.
type fields struct {
	names map[string]string     // the names in JSON that are taken, and where
	open  map[reflect.Type]bool // the structs that are being looked at, each embedded in another
}

// structure looks at the fields of a struct, and adds them to those of the struct around it.
func (c *checker) structure(t reflect.Type, path string, variable bool, all fields) error {
	all.open[t] = true
	defer delete(all.open, t)
	for i := range t.NumField() {
		f := t.Field(i)
		at := path + "." + f.Name
		name, err := storedName(f, at)
		switch {
		case err != nil:
			return err
		case name == "":
			continue
		case f.Anonymous && embeds(f):
			// Its fields are those of the struct around it.
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				if !f.IsExported() {
					return fmt.Errorf("%s is embedded, a pointer, and not exported, so it cannot be read; embed the struct itself", at)
				}
				inner = inner.Elem()
			}
			if all.open[inner] {
				return fmt.Errorf("%s leads back to itself, as embedded fields do; give the field a name", at)
			}
			if err := c.structure(inner, at, variable || f.Type.Kind() == reflect.Pointer, all); err != nil {
				return err
			}
			continue
		}
		if other, taken := all.names[name]; taken {
			return fmt.Errorf("%s and %s have the same name in JSON, %q, and one would be lost; give one another name with the tag json", other, at, name)
		}
		all.names[name] = at
		if err := c.value(f.Type, at, variable); err != nil {
			return err
		}
	}
	return nil
}

// embeds reports whether encoding/json takes the fields of an embedded field for those of the
// struct around it.
func embeds(f reflect.StructField) bool {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return t.Kind() == reflect.Struct && !isTagName(tag)
}

// storedName returns the name of a field in JSON; "" for one that need not be stored. The error
// says that JSON would leave the field out, or would not, against what the tags say.
func storedName(f reflect.StructField, at string) (string, error) {
	tag := f.Tag.Get("json")
	left := tag == "-"
	name, _, _ := strings.Cut(tag, ",")
	needless := f.Tag.Get("durable") == "-"
	embedded := f.Anonymous && (f.Type.Kind() == reflect.Struct || f.Type.Kind() == reflect.Pointer && f.Type.Elem().Kind() == reflect.Struct)
	switch {
	case f.Name == "_" || f.Type.Size() == 0 && !f.IsExported():
		return "", nil
	case !f.IsExported() && !(embedded && !left):
		if needless {
			return "", nil
		}
		return "", fmt.Errorf("%s is not exported, so it would be lost; export it, give its type the methods of "+
			"encoding.BinaryAppender and encoding.BinaryUnmarshaler, or say that it need not be stored, with the tag durable:\"-\"", at)
	case left && needless:
		return "", nil
	case left:
		return "", fmt.Errorf("%s has the tag json:\"-\", so it would be lost; add the tag durable:\"-\" if it need not be stored", at)
	case needless:
		return "", fmt.Errorf("%s has the tag durable:\"-\", and JSON would store it; add the tag json:\"-\"", at)
	case !f.IsExported() && isTagName(name):
		return "", fmt.Errorf("%s is embedded and not exported, and cannot be a field of its own in JSON; export it, or give it a name", at)
	case isTagName(name):
		return name, nil
	}
	return f.Name, nil
}

// isTagName reports whether encoding/json takes a name from a tag.
func isTagName(name string) bool {
	if name == "" {
		return false
	}
	for _, r := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !isLetterOrDigit(r) {
			return false
		}
	}
	return true
}

// key returns why a type cannot be that of the keys of a map.
func key(t reflect.Type, path string) error {
	writes, reads := t.Implements(textMarshaler), reflect.PointerTo(t).Implements(textUnmarshaler)
	switch t.Kind() {
	case reflect.String:
		if !writes && !reads {
			return nil
		}
		// encoding/json writes the string, and reads with the method.
		return fmt.Errorf("the keys of %s are a %v, a string with methods for its text, which JSON would not call when it writes; "+
			"use a struct, or a string without them", path, t)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if writes == reads {
			return nil
		}
	case reflect.Interface, reflect.Pointer:
		return fmt.Errorf("the keys of %s are a %v, and cannot be told apart in JSON; use a string, a whole number, or a type with MarshalText", path, t)
	}
	if !writes || !reads {
		return fmt.Errorf("the keys of %s are a %v, and JSON has none but strings and whole numbers; give it MarshalText, for values, and UnmarshalText, for pointers", path, t)
	}
	if by := promoted(t, textMethods); by != "" {
		return promotedError(path, t, by)
	}
	return nil
}

// ownJSON reports whether t has methods by which it writes and reads itself as JSON. It is an error
// if it has them for one direction only, or if encoding/json would not call them.
func ownJSON(t reflect.Type, path string, variable bool) (bool, error) {
	p := reflect.PointerTo(t)
	json := [2]bool{p.Implements(jsonMarshaler), p.Implements(jsonUnmarshaler)}
	text := [2]bool{p.Implements(textMarshaler), p.Implements(textUnmarshaler)}
	switch {
	case t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface:
		return false, nil // what it leads to is looked at
	case json == [2]bool{} && text == [2]bool{}:
		return false, nil
	case json == [2]bool{true, false}:
		return false, fmt.Errorf("%s is a %v, which has MarshalJSON and no UnmarshalJSON, so it could not be read; give it both", path, t)
	case json == [2]bool{false, true}:
		return false, fmt.Errorf("%s is a %v, which has UnmarshalJSON and no MarshalJSON; give it both", path, t)
	case json == [2]bool{} && text[0] != text[1]:
		return false, fmt.Errorf("%s is a %v, which has only one of MarshalText and UnmarshalText; give it both", path, t)
	}
	if t.Name() == "" {
		return false, fmt.Errorf("%s is a %v, which has the methods of an embedded field and no name, and encoding/json reads with methods of types with names only; "+
			"give the type a name, or the field", path, t)
	}
	methods, writes := jsonMethods, t.Implements(jsonMarshaler)
	if json == [2]bool{} {
		methods, writes = textMethods, t.Implements(textMarshaler)
	}
	if !writes && !variable {
		return false, fmt.Errorf("%s is a %v in a map, where the method of *%[2]v that writes it is not called; "+
			"declare that for %[2]v, or keep pointers in the map", path, t)
	}
	if by := promoted(t, methods); by != "" {
		return false, promotedError(path, t, by)
	}
	return true, nil
}

func promotedError(path string, t reflect.Type, by string) error {
	return fmt.Errorf("%s is a %v, whose methods for text are those of its embedded field %s, which alone would be stored; "+
		"give the field a name, or %[2]v methods of its own", path, t, by)
}

// hasOwnJSON reports whether values of t, or what they point to, are written by methods.
func hasOwnJSON(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	own, err := ownJSON(t, "", true)
	_, isFuture := futureOf(t)
	return own || isFuture || err != nil
}

// futureOf returns the type of the result if t is a future of package freerun.
func futureOf(t reflect.Type) (reflect.Type, bool) {
	if t.Kind() != reflect.Struct || t.PkgPath() != futurePackage || !strings.HasPrefix(t.Name(), "Future[") {
		return nil, false
	}
	f, ok := t.FieldByName("value")
	return f.Type, ok
}
