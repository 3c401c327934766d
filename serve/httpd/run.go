package httpd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// DefaultAddr is the default address of the server.
const DefaultAddr = "localhost:8080"

// grace is how long unfinished answers may continue after the server stops.
const grace = 5 * time.Second

// Run serves handler at addr ("host:port"; port 0 selects a free one) until ctx ends. It then waits
// for unfinished answers and returns nil. Once the lab can be opened, Run writes the page's address
// to out. Unless `ready` is nil, Run also passes the address to `ready`. If other machines can
// reach the lab, Run writes a warning with this machine's addresses. Errors say what to do.
//
// If addr is a loopback address, Run answers a request only if its Host is a loopback address.
// Otherwise a foreign page could reach the lab through a host name that resolves to this machine
// (DNS rebinding).
func Run(ctx context.Context, addr string, handler http.Handler, out io.Writer, ready func(url string)) error {
	ln, err := listen(ctx, addr)
	if err != nil {
		return err
	}
	bound := ln.Addr().(*net.TCPAddr)
	if bound.IP.IsLoopback() {
		handler = loopbackOnly(handler)
	}
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      5 * time.Minute, // enough for the whole bundle, uncompressed, at 1 Mbit/s
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          log.New(out, "", 0),
	}

	served := make(chan error, 1)
	go func() { served <- server.Serve(ln) }()
	url := pageURL(addr, bound)
	fmt.Fprintf(out, "the lab is at %s (Ctrl-C stops it)\n", url)
	if bound.IP.IsUnspecified() {
		addrs, _ := net.InterfaceAddrs() // without addresses, the warning is still printed
		fmt.Fprintln(out, everywhere(bound.Port, addrs))
	}
	if ready != nil {
		ready(url)
	}

	select {
	case err := <-served:
		return fmt.Errorf("the server stopped: %w", err)
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := server.Shutdown(ending); err != nil {
		server.Close()
	}
	return nil
}

// listen opens addr. The error is one sentence that says why addr cannot be opened.
func listen(ctx context.Context, addr string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("-addr %q is not of the form host:port, such as %s", addr, DefaultAddr)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil {
		return nil, fmt.Errorf("-addr %q: %q is not a port, give a number from 0 to 65535", addr, port)
	} else {
		port = strconv.FormatUint(n, 10)
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(host, port))
	// Windows has a different error number for "address in use".
	if errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, syscall.Errno(10048)) {
		return nil, fmt.Errorf("port %s is taken by another program, choose another one with -addr %s",
			port, net.JoinHostPort(host, another(port)))
	}
	if err != nil {
		return nil, fmt.Errorf("cannot listen at %s (%w), choose another address with -addr, such as %s", addr, err, DefaultAddr)
	}
	return ln, nil
}

// The result of `another` is a port to suggest when the given port is in use.
func another(port string) string {
	if n, err := strconv.Atoi(port); err == nil && n >= 1024 && n < 65535 {
		return strconv.Itoa(n + 1)
	}
	return "8081"
}

// pageURL returns the address to open in a browser on this machine: the requested host with the
// bound port.
func pageURL(addr string, bound *net.TCPAddr) string {
	host, _, _ := net.SplitHostPort(addr)
	if host == "" || bound.IP.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, strconv.Itoa(bound.Port)) + "/"
}

// everywhere returns the warning that other machines can open the lab. The warning lists addresses
// of this machine.
func everywhere(port int, addrs []net.Addr) string {
	var urls []string
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() {
			urls = append(urls, "http://"+net.JoinHostPort(n.IP.String(), strconv.Itoa(port))+"/")
		}
	}
	text := "it answers on every network interface of this machine, so others can open it too"
	if len(urls) > 0 {
		text += ", at " + strings.Join(urls[:min(len(urls), 4)], " or ")
	}
	return text + fmt.Sprintf("; -addr localhost:%d keeps it to this machine", port)
}

// loopbackOnly answers only requests whose Host names this machine, by name or by number.
func loopbackOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !loopbackHost(r.Host) {
			secure(w.Header(), ownFrames)
			http.Error(w, "this server answers only as localhost; to serve a network, choose its address with -addr", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// loopbackHost reports whether a Host header names this machine. It ignores the port, which a
// tunnel may have changed.
func loopbackHost(hostport string) bool {
	host := hostport
	if h, port, err := net.SplitHostPort(hostport); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return false
		}
		host = h
	} else if inner, ok := strings.CutPrefix(host, "["); ok {
		host = strings.TrimSuffix(inner, "]")
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
