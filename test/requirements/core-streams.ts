/** Rules of event streams, streamed bodies and WebSockets, whichever area serves them. */
export default [
  {
    id: 'STREAM-1',
    rule: "The plan's slot is taken before the first byte; without one nothing is written and the opener gets null.",
    where: 'limits 2, Admission',
  },
  {
    id: 'STREAM-2',
    rule: 'The slot is released exactly once: when the response is fully sent or its connection is closed.',
    where: 'limits 2, Admission',
  },
  {
    id: 'STREAM-3',
    rule: 'An event stream has text/event-stream, no-cache and X-Accel-Buffering: no unless its opener sets other values; the head is sent immediately.',
    where: 'toolbox 10; limits 4',
  },
  {
    id: 'STREAM-4',
    rule: 'An event is id, event, retry, data and an empty line; text of several lines becomes several data lines.',
    where: 'toolbox 10; WHATWG HTML 9.2.6',
  },
  {
    id: 'STREAM-5',
    rule: 'No value of an event or comment can add a field or an event of its own.',
    where: 'WHATWG HTML 9.2.6',
  },
  {
    id: 'STREAM-6',
    rule: 'A heartbeat comment is sent only after silence, never within an event.',
    where: 'toolbox 10; core 10.6',
  },
  {
    id: 'STREAM-7',
    rule: 'If a producer respects write and ready, the pending data stays bounded, however slowly the client reads.',
    where: 'core 10.6; plugin contract, BodyStream',
  },
  {
    id: 'STREAM-8',
    rule: 'When the client disconnects, signal aborts, over resolves with client, and the stream leaves the registry with its timers.',
    where: 'core 10.6; toolbox 1',
  },
  {
    id: 'STREAM-9',
    rule: 'Before a forced end the producer may write a last event, which precedes the last comment; later writes are dropped silently.',
    where: 'limits 2, End of a stream',
  },
  {
    id: 'STREAM-10',
    rule: "When the plan's lifetime expires, an event stream writes its comment, after a blank line if an event is unfinished, and ends cleanly.",
    where: 'limits 2, End of a stream',
  },
  {
    id: 'STREAM-11',
    rule: 'On reload a stream of the old generation ends with the comment svc reloaded; at shutdown and after its own lifetime it just ends.',
    where: 'core 10.4, 1.2',
  },
  {
    id: 'STREAM-12',
    rule: 'At shutdown endless streams end immediately, also those opened later; the others end at the deadline.',
    where: 'core 1.2',
  },
  {
    id: 'STREAM-13',
    rule: 'For HEAD the head is sent and the stream is closed.',
    where: 'plugin contract, SvcStreams; toolbox 1',
  },
  {
    id: 'STREAM-14',
    rule: "A WebSocket closes with 1001 after its idle time or lifetime, at shutdown and on reload, and with 1008 after the plan's lifetime, each with its reason.",
    where: 'toolbox 11; limits 2; core 1.2, 10.4',
  },
  { id: 'STREAM-15', rule: 'All of these rules hold for HTTP/2 as well.', where: 'core 1.1' },
  { id: 'STREAM-16', rule: 'A forced end completes even if the client does not read.', where: 'core 1.2' },
]
