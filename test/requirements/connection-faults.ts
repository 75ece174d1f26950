/** Rules of `X-Svc-Abort`. */
export default [
  {
    id: 'ABORT-1',
    rule: 'X-Svc-Abort is reset, close, empty, truncate or bad-chunk, in any case, with an optional percentage; anything else is ignored.',
    where: 'core 13.1',
  },
  {
    id: 'ABORT-2',
    rule: 'reset is a TCP RST, close a FIN, both before any byte; empty ends after a head that announces a body, truncate within that body, bad-chunk after a chunk without a size.',
    where: 'core 13.1; RFC 9112 6.3, 7.1',
  },
  {
    id: 'ABORT-3',
    rule: 'The faults act on every route, unknown paths included, but not below /_svc and /ui and on no preflight.',
    where: 'core 8, 13.1',
  },
  {
    id: 'ABORT-4',
    rule: 'A head that goes out has the headers of every response and X-Svc-Fault: abort.',
    where: 'core 8',
  },
  {
    id: 'ABORT-5',
    rule: 'On HEAD what needs a body acts as close; over HTTP/1.0 bad-chunk acts as truncate.',
    where: 'own decision',
  },
  { id: 'ABORT-6', rule: 'A close stays a FIN whatever the client still sends.', where: 'RFC 9112 9.6' },
  { id: 'ABORT-7', rule: 'Answers to earlier requests on the connection go out first.', where: 'RFC 9112 9.3.2' },
  {
    id: 'ABORT-8',
    rule: 'Delay, then abort, then fail; each request is decided alone; an abort that hits leaves no fail.',
    where: 'own decision',
  },
  { id: 'ABORT-9', rule: 'A WebSocket handshake is broken in the same ways.', where: 'core 8' },
  {
    id: 'ABORT-10',
    rule: 'Aborts are counted as faults; without a head the request is remembered with status 444.',
    where: 'own decision',
  },
  {
    id: 'ABORT-11',
    rule: 'Over HTTP/2 the stream is reset and the connection goes on; close ends the connection; bad-chunk is a length that does not add up.',
    where: 'RFC 9113 8.1.1, 5.4.2',
  },
]
