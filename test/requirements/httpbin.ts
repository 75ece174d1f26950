/** Rules for the plugin httpbin. */
export default [
  {
    id: 'HB-1',
    rule: 'responses are the recorded ones of httpbin and go-httpbin, apart from times, ids and listed differences',
    where: 'httpbin 3 to 7',
  },
  {
    id: 'HB-2',
    rule: 'below /httpbin, the prefix is part of url, Location, links and forms; at the root it is not',
    where: 'httpbin 1',
  },
  {
    id: 'HB-3',
    rule: 'the list of paths at the root is fixed, and the core sends their 404 and 405',
    where: 'httpbin 1',
  },
  {
    id: 'HB-4',
    rule: 'a host is served whole by the first matching entry, except for the control plane and the console',
    where: 'httpbin 1',
  },
  {
    id: 'HB-5',
    rule: 'proxy headers count only if trusted: httpbin then shows the whole list, go-httpbin the client',
    where: 'httpbin 2',
  },
  { id: 'HB-6', rule: 'a request id that svc made is not among the headers', where: 'httpbin 2' },
  {
    id: 'HB-7',
    rule: 'Digest works with MD5, SHA-256 and SHA-512, auth and auth-int, and stale nonces',
    where: 'httpbin 4',
  },
  {
    id: 'HB-8',
    rule: 'in public mode, redirects lead to the requested host and to redirect_hosts only',
    where: 'httpbin 5',
  },
  { id: 'HB-9', rule: 'no script scheme and no line break is a redirect target', where: 'httpbin 5' },
  { id: 'HB-10', rule: 'public instances have the lower limits', where: 'httpbin 7' },
  { id: 'HB-11', rule: 'no path, query, header or body causes a 500', where: 'httpbin 2' },
  {
    id: 'HB-12',
    rule: 'echo-basic echoes the request with what the process and the connection say',
    where: 'httpbin 8',
  },
  { id: 'HB-13', rule: 'X-Echo-Set-Header and delay of echo-basic work', where: 'httpbin 8' },
  { id: 'HB-14', rule: 'the WebSocket of go-httpbin echoes, and closes with 1009 above the limit', where: 'httpbin 7' },
  { id: 'HB-15', rule: 'a 404 for a path that people know from elsewhere names the path here', where: 'issue 32' },
  { id: 'HB-16', rule: 'fetch, ws and curl work with the paths', where: 'httpbin 9' },
]
