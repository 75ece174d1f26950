/** Rules of event streams, streamed bodies and WebSockets, whichever area serves them. */
export default [
  {
    id: 'STREAM-1',
    rule: "The plan's slot is taken before the first byte; without one nothing is written and the opener gets null.",
    where: 'limits 2, Admission',
  },
  {
    id: 'STREAM-2',
    rule: 'The slot is free again once the response is fully sent or its connection gone, exactly once.',
    where: 'limits 2, Admission',
  },
  {
    id: 'STREAM-3',
    rule: 'An event stream says text/event-stream, no-cache and X-Accel-Buffering: no unless its opener says otherwise; the head leaves at once.',
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
    rule: 'A heartbeat comment is sent after silence only, never within an event.',
    where: 'toolbox 10; core 10.6',
  },
  {
    id: 'STREAM-7',
    rule: 'A producer that heeds write and ready keeps what is pending bounded, however slowly the client reads.',
    where: 'core 10.6; plugin contract, BodyStream',
  },
  {
    id: 'STREAM-8',
    rule: 'When the client leaves, signal aborts, over resolves with client, and the stream leaves the registry with its timers.',
    where: 'core 10.6; toolbox 1',
  },
  {
    id: 'STREAM-9',
    rule: 'Before a forced end the producer may write a farewell, which goes before the last comment; later writes are dropped silently.',
    where: 'limits 2, End of a stream',
  },
  {
    id: 'STREAM-10',
    rule: "At the plan's lifetime an event stream writes its comment, after a blank line when an event is unfinished, and ends cleanly.",
    where: 'limits 2, End of a stream',
  },
  {
    id: 'STREAM-11',
    rule: 'On reload a stream of the generation that goes says svc reloaded; at stop and own lifetime it just ends.',
    where: 'core 10.4, 1.2',
  },
  {
    id: 'STREAM-12',
    rule: 'At stop endless streams end at once, those that open later too; the others at the deadline.',
    where: 'core 1.2',
  },
  {
    id: 'STREAM-13',
    rule: 'On HEAD the head is sent and the stream is closed already.',
    where: 'plugin contract, SvcStreams; toolbox 1',
  },
  {
    id: 'STREAM-14',
    rule: "A WebSocket closes 1001 after its idle time or lifetime, at stop and on reload, and 1008 at the plan's lifetime, each with its reason.",
    where: 'toolbox 11; limits 2; core 1.2, 10.4',
  },
  { id: 'STREAM-15', rule: 'All of it holds for HTTP/2 as well.', where: 'core 1.1' },
  { id: 'STREAM-16', rule: 'A forced end reaches its end although the client does not read.', where: 'core 1.2' },
]
