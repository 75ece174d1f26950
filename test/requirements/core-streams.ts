/** Rules of event streams, streamed bodies and WebSockets of all areas. */
export default [
  {
    id: 'STREAM-1',
    rule: 'The slot of the plan is taken before the first byte; if none is free, nothing is written and the opener gets null.',
    where: 'limits 2, Admission',
  },
  {
    id: 'STREAM-2',
    rule: 'The slot is released exactly once, when the response is fully sent or its connection is closed.',
    where: 'limits 2, Admission',
  },
  {
    id: 'STREAM-3',
    rule: 'An event stream sends text/event-stream, no-cache and X-Accel-Buffering: no unless its opener overrides them; the headers are sent immediately.',
    where: 'toolbox 10; limits 4',
  },
  {
    id: 'STREAM-4',
    rule: 'An event is id, event, retry, data and an empty line; text with several lines becomes several data lines.',
    where: 'toolbox 10; WHATWG HTML 9.2.6',
  },
  {
    id: 'STREAM-5',
    rule: 'No value of an event or comment can inject a field or an event.',
    where: 'WHATWG HTML 9.2.6',
  },
  {
    id: 'STREAM-6',
    rule: 'A heartbeat comment is sent only after silence, never within an event.',
    where: 'toolbox 10; core 10.6',
  },
  {
    id: 'STREAM-7',
    rule: 'A producer that respects write and ready keeps pending data bounded, however slowly the client reads.',
    where: 'core 10.6; plugin contract, BodyStream',
  },
  {
    id: 'STREAM-8',
    rule: 'When the client disconnects, signal aborts, over resolves with client, and the stream leaves the registry with its timers.',
    where: 'core 10.6; toolbox 1',
  },
  {
    id: 'STREAM-9',
    rule: 'Before a forced end the producer may write final data, which comes before the closing comment; later writes are silently dropped.',
    where: 'limits 2, End of a stream',
  },
  {
    id: 'STREAM-10',
    rule: 'At the end of the lifetime set by the plan an event stream writes its comment, after a blank line if an event is unfinished, and ends cleanly.',
    where: 'limits 2, End of a stream',
  },
  {
    id: 'STREAM-11',
    rule: 'On reload a stream of the old generation sends svc reloaded; at shutdown and at the end of its own lifetime it just ends.',
    where: 'core 10.4, 1.2',
  },
  {
    id: 'STREAM-12',
    rule: 'At shutdown endless streams end at once, including those that open later; the others end at the deadline.',
    where: 'core 1.2',
  },
  {
    id: 'STREAM-13',
    rule: 'On HEAD the headers are sent and the stream is already closed.',
    where: 'plugin contract, SvcStreams; toolbox 1',
  },
  {
    id: 'STREAM-14',
    rule: 'A WebSocket closes with 1001 after its idle time or lifetime, at shutdown and on reload, and with 1008 at the end of the lifetime set by the plan, each with a reason.',
    where: 'toolbox 11; limits 2; core 1.2, 10.4',
  },
  { id: 'STREAM-15', rule: 'All rules apply to HTTP/2 as well.', where: 'core 1.1' },
  { id: 'STREAM-16', rule: 'A forced end completes even if the client does not read.', where: 'core 1.2' },
  {
    id: 'STREAM-17',
    rule: 'Routes that take large messages get up to 15 MiB, and incomplete messages of all sockets have a common bound.',
    where: 'plugin contract, RouteDescription',
  },
  {
    id: 'INCREMENTAL-1',
    rule: 'Incremental is read as an item: true with or without parameters; any other value, and two fields, count as absent.',
    where: 'drop-in 8.5, RFC 10036 3',
  },
  {
    id: 'INCREMENTAL-2',
    rule: 'Streamed responses to requests with Incremental: ?1 have the field, others are as before.',
    where: 'drop-in 8.5',
  },
  {
    id: 'UNSENT-1',
    rule: 'The writer of a stream waits while 256 KiB are unsent; a stream whose writer never waits ends at 16 MiB.',
    where: 'architecture, Budgets',
  },
  {
    id: 'UNSENT-2',
    rule: 'Unsent bytes of all streams are bounded in total; above the bound the slowest stream ends alone.',
    where: 'architecture, Budgets',
  },
  {
    id: 'UNSENT-3',
    rule: 'Above the bound of a client, its streams that are hardly read end; those that are read go on.',
    where: 'architecture, Budgets',
  },
  {
    id: 'UNSENT-4',
    rule: 'A large answer that nobody reads ends when another large answer needs its memory.',
    where: 'architecture, Budgets',
  },
  {
    id: 'UNSENT-5',
    rule: 'Answers, streams, calls and sockets that nobody reads, ten at once, cost less than 64 MiB and delay nobody.',
    where: 'docs/hardening.md',
  },
  {
    id: 'UNSENT-6',
    rule: 'Requests of an HTTP/2 connection start while its client reads, a few at a time; its other connections do not wait.',
    where: 'docs/hardening.md',
  },
]
