//go:build js && wasm

package bridge

import (
	"errors"
	"fmt"
	"syscall/js"

	"github.com/norunners/vert"
)

// toJS converts a message, a struct with js tags at its fields. It panics if a type has no
// JavaScript form.
func toJS(v any) js.Value { return vert.ValueOf(v).JSValue() }

// fromJS fills dst from a message. Fields that are missing in the message become zero. A field
// of the wrong type is an error.
func fromJS(dst any, v js.Value) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("The page sent a message that cannot be read: %v.", r)
		}
	}()
	if v.Type() != js.TypeObject {
		return errors.New("The page sent a message that is not an object.")
	}
	if err := (vert.Value{Value: v}).AssignTo(dst); err != nil {
		return fmt.Errorf("The page sent a message that cannot be read: %v.", err)
	}
	return nil
}

func bytesToJS(b []byte) js.Value {
	a := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(a, b)
	return a
}

// free frees the bytes of a Uint8Array that nobody needs any more: a port whose other end is closed takes them. Otherwise the message that
// brought them would keep them until JavaScript's garbage is collected, long after a large file has been read.
func free(v js.Value) {
	channel := js.Global().Get("MessageChannel").New()
	channel.Get("port2").Call("close")
	post(channel.Get("port1"), js.Null(), v)
}

// bytesFromJS returns a copy of a Uint8Array. For anything else it returns nil.
func bytesFromJS(v js.Value) []byte {
	if !v.InstanceOf(js.Global().Get("Uint8Array")) {
		return nil
	}
	b := make([]byte, v.Get("length").Int())
	js.CopyBytesToGo(b, v)
	return b
}
