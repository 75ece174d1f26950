/** Rules of `X-Svc-Abort`. */
export default [
  {
    id: 'ABORT-1',
    rule: 'X-Svc-Abort is reset, close, empty, truncate or bad-chunk, case-insensitive, with an optional percentage; anything else is ignored.',
    where: 'core 13.1',
  },
  {
    id: 'ABORT-2',
    rule: 'reset is a TCP RST and close a FIN, both before any byte; empty ends after headers that announce a body, truncate within that body, bad-chunk after a chunk without a size.',
    where: 'core 13.1; RFC 9112 6.3, 7.1',
  },
  {
    id: 'ABORT-3',
    rule: 'The faults apply to every route, including unknown paths, but not below /_svc and /ui and not to preflights.',
    where: 'core 8, 13.1',
  },
  {
    id: 'ABORT-4',
    rule: 'Response headers that are sent include the headers of every response and X-Svc-Fault: abort.',
    where: 'core 8',
  },
  {
    id: 'ABORT-5',
    rule: 'On HEAD, faults that need a body act like close; over HTTP/1.0 bad-chunk acts like truncate.',
    where: 'own decision',
  },
  { id: 'ABORT-6', rule: 'A close stays a FIN whatever else the client sends.', where: 'RFC 9112 9.6' },
  { id: 'ABORT-7', rule: 'Responses to earlier requests on the connection are sent first.', where: 'RFC 9112 9.3.2' },
  {
    id: 'ABORT-8',
    rule: 'The order is delay, abort, fail; each request is decided independently; after an abort that applies, fail is not evaluated.',
    where: 'own decision',
  },
  { id: 'ABORT-9', rule: 'A WebSocket handshake is broken in the same ways.', where: 'core 8' },
  {
    id: 'ABORT-10',
    rule: 'Aborts are counted as faults; without response headers the request is recorded with status 444.',
    where: 'own decision',
  },
  {
    id: 'ABORT-11',
    rule: 'Over HTTP/2 the stream is reset and the connection continues; close ends the connection; bad-chunk is a wrong length.',
    where: 'RFC 9113 8.1.1, 5.4.2',
  },
]
