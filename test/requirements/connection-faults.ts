/** Rules of `X-Svc-Abort`. */
export default [
  {
    id: 'ABORT-1',
    rule: 'X-Svc-Abort is reset, close, empty, truncate, bad-chunk or garbage, case-insensitive, with an optional percentage; anything else is ignored.',
    where: 'core 13.1',
  },
  {
    id: 'ABORT-2',
    rule: 'reset is a TCP RST and close a FIN, both before any byte; empty ends after headers that announce a body, truncate within that body, bad-chunk after a chunk without a size; garbage is 32 bytes that are not HTTP, then a FIN.',
    where: 'core 13.1; RFC 9112 6.3, 7.1',
  },
  {
    id: 'ABORT-3',
    rule: 'The faults apply to every route and to unknown paths, but not below /_svc and /ui or to preflight requests.',
    where: 'core 8, 13.1',
  },
  {
    id: 'ABORT-4',
    rule: 'If headers are sent, they include those of every response and X-Svc-Fault: abort.',
    where: 'core 8',
  },
  {
    id: 'ABORT-5',
    rule: 'On HEAD, faults that need a body act as close; over HTTP/1.0, bad-chunk acts as truncate.',
    where: 'own decision',
  },
  { id: 'ABORT-6', rule: 'A close remains a FIN even if the client keeps sending.', where: 'RFC 9112 9.6' },
  { id: 'ABORT-7', rule: 'Responses to earlier requests on the connection are sent first.', where: 'RFC 9112 9.3.2' },
  {
    id: 'ABORT-8',
    rule: 'Faults apply in the order delay, abort, fail; each request is decided independently; an abort that takes effect skips fail.',
    where: 'own decision',
  },
  { id: 'ABORT-9', rule: 'The faults break WebSocket handshakes in the same way.', where: 'core 8' },
  {
    id: 'ABORT-10',
    rule: 'Aborts are counted as faults; a request without response headers is recorded with status 444.',
    where: 'own decision',
  },
  {
    id: 'ABORT-11',
    rule: 'Over HTTP/2 the stream is reset and the connection stays open; close ends the connection; bad-chunk is a mismatched length.',
    where: 'RFC 9113 8.1.1, 5.4.2',
  },
]
