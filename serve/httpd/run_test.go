package httpd

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// start runs the server on a free port. It returns the server's address and the channel of Run's
// result.
func start(t *testing.T, ctx context.Context, addr string, h http.Handler) (url string, done <-chan error) {
	t.Helper()
	r, w := io.Pipe()
	end := make(chan error, 1)
	go func() {
		end <- Run(ctx, addr, h, w, nil)
		w.Close()
	}()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("Run said nothing: %v, %v", err, <-end)
	}
	go io.Copy(io.Discard, r)
	for field := range strings.FieldsSeq(line) {
		if strings.HasPrefix(field, "http://") {
			return field, end
		}
	}
	t.Fatalf("no address in %q", line)
	return "", nil
}

func wait(t *testing.T, done <-chan error) {
	t.Helper()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("Run: got %v, want nil", err)
		}
	case <-time.After(2 * grace):
		t.Fatal("Run did not return")
	}
}

func TestRunServesAndStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	url, done := start(t, ctx, "localhost:0", lab(t))
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if resp.StatusCode != 200 || string(body) != page {
		t.Errorf("got status %d and %d bytes, want the page", resp.StatusCode, len(body))
	}
	cancel()
	wait(t, done)
	if _, err := http.Get(url); err == nil {
		t.Error("the server still answers after its end")
	}
}

func TestRunFinishesAnswers(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cancel()
		time.Sleep(50 * time.Millisecond) // long enough for Shutdown to begin
		io.WriteString(w, "whole")
	})
	url, done := start(t, ctx, "127.0.0.1:0", slow)
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || string(body) != "whole" {
		t.Errorf("got %q, %v, want the whole answer", body, err)
	}
	wait(t, done)
}

func TestRunAddresses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	for _, tc := range []struct {
		addr string
		want []string
	}{
		{taken.Addr().String(), []string{"port " + port, "taken", "-addr 127.0.0.1:"}},
		{"8080", []string{`"8080"`, "host:port", DefaultAddr}},
		{"localhost:http-ish", []string{"-addr", "port"}},
		{"localhost:65536", []string{"-addr", "65535"}},
		{"localhost:-1", []string{"-addr", "65535"}},
		{"203.0.113.7:0", []string{"203.0.113.7:0", "-addr"}}, // TEST-NET-3, an address of no machine
	} {
		err := Run(t.Context(), tc.addr, http.NotFoundHandler(), io.Discard, nil)
		if err == nil {
			t.Errorf("%s: got no error", tc.addr)
			continue
		}
		for _, want := range tc.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q does not speak of %q", tc.addr, err, want)
			}
		}
	}
}

func TestPageURL(t *testing.T) {
	for _, tc := range []struct{ addr, ip, want string }{
		{"localhost:0", "127.0.0.1", "http://localhost:8080/"},
		{":0", "::", "http://localhost:8080/"},
		{"0.0.0.0:0", "0.0.0.0", "http://localhost:8080/"},
		{"[::1]:0", "::1", "http://[::1]:8080/"},
		{"192.168.1.5:0", "192.168.1.5", "http://192.168.1.5:8080/"},
	} {
		if got := pageURL(tc.addr, &net.TCPAddr{IP: net.ParseIP(tc.ip), Port: 8080}); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.addr, got, tc.want)
		}
	}
}

// TestEverywhere checks that serving to the network prints a warning.
func TestEverywhere(t *testing.T) {
	for addr, told := range map[string]bool{":0": true, "0.0.0.0:0": true, "localhost:0": false, "127.0.0.1:0": false} {
		ctx, cancel := context.WithCancel(context.Background())
		r, w := io.Pipe()
		done := make(chan error, 1)
		go func() {
			done <- Run(ctx, addr, http.NotFoundHandler(), w, nil)
			w.Close()
		}()
		lines := bufio.NewReader(r)
		if _, err := lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		second := ""
		if told {
			second, _ = lines.ReadString('\n')
		}
		cancel()
		rest, _ := io.ReadAll(lines)
		wait(t, done)
		if strings.Contains(second, "every network interface") != told || len(rest) > 0 {
			t.Errorf("%s: said %q and %q", addr, second, rest)
		}
	}
	ip := func(s string) net.Addr { return &net.IPNet{IP: net.ParseIP(s), Mask: net.CIDRMask(8, 32)} }
	got := everywhere(8124, []net.Addr{ip("127.0.0.1"), ip("192.168.1.5"), ip("fe80::1"), ip("2001:db8::7")})
	for _, want := range []string{"at http://192.168.1.5:8124/ or http://[2001:db8::7]:8124/;", "-addr localhost:8124"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q does not say %q", got, want)
		}
	}
}

func TestLoopbackHost(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost":                   true,
		"localhost:8080":              true,
		"LOCALHOST.:8080":             true,
		"lab.localhost:8080":          true,
		"127.0.0.1:8080":              true,
		"127.8.9.1":                   true,
		"[::1]:8080":                  true,
		"[::1]":                       true,
		"[::ffff:127.0.0.1]":          true,
		"":                            false,
		"evil.example":                false,
		"evil.example:8080":           false,
		"localhost.evil.example":      false,
		"127.0.0.1.evil.example":      false,
		"notlocalhost":                false,
		"192.168.1.5:8080":            false,
		"0.0.0.0:8080":                false,
		"[::]:8080":                   false,
		"localhost:8080@evil.example": false,
	} {
		if got := loopbackHost(host); got != want {
			t.Errorf("%q: got %t, want %t", host, got, want)
		}
	}
}

func TestRebindingIsRefused(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	url, done := start(t, ctx, "localhost:0", lab(t))
	defer func() { cancel(); wait(t, done) }()
	for host, want := range map[string]int{"evil.example": 403, "localhost": 200, "127.0.0.1": 200} {
		r, err := http.NewRequest("GET", url, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("Host %s: got status %d, want %d", host, resp.StatusCode, want)
		}
		if resp.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("Host %s: no security headers", host)
		}
	}
}

// TestOtherHostsOffLoopback checks that a server for the network answers requests with any
// host name.
func TestOtherHostsOffLoopback(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	url, done := start(t, ctx, "0.0.0.0:0", lab(t))
	defer func() { cancel(); wait(t, done) }()
	r, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "lab.example"
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 200 {
		t.Errorf("got status %d, want 200", resp.StatusCode)
	}
}
