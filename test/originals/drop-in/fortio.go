// The echo handlers of fortio alone: go run fortio.go <port>, in a module that requires fortio.org/fortio v1.75.3.
package main

import (
	"fmt"
	"net/http"
	"os"

	"fortio.org/fortio/fhttp"
)

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug", fhttp.DebugHandler)
	mux.HandleFunc("/", fhttp.EchoHandler)
	fmt.Println(http.ListenAndServe("127.0.0.1:"+os.Args[1], mux))
}
