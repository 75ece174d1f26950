/** What the service promises under wrong input and under attack. */
export default [
  {
    id: 'FUZZ-1',
    rule: 'whatever input a network parser gets, it responds or rejects: no unintended 5xx, no crash, no hang',
    where: 'docs/hardening.md',
  },
  {
    id: 'FUZZ-2',
    rule: 'after invalid input, no more memory is in use than the bounded stores hold',
    where: 'docs/hardening.md',
  },
  { id: 'FUZZ-3', rule: 'no input adds a property to the prototype of all objects', where: 'docs/hardening.md' },
  {
    id: 'HARD-1',
    rule: 'an HTTP/2 request whose connection is already closed is dropped before a route or plugin sees it',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-2',
    rule: 'an HTTP/2 connection ends when its client ends its side, when it is idle without requests, and when a PING gets no reply',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-3',
    rule: 'no framing makes svc read a second request from bytes that another parser takes for a body',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-4',
    rule: 'a head of up to 64 KiB is read completely, however many fields it has',
    where: 'docs/hardening.md',
  },
  { id: 'HARD-5', rule: 'no spelling of a path bypasses a guard that decides by path', where: 'docs/hardening.md' },
  {
    id: 'HARD-6',
    rule: 'names of inherited object members are ordinary keys, and unknown like any other name',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-7',
    rule: 'every route responds to or rejects bodies that are deep, wide or have keys with the same hash',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-8',
    rule: 'decompression is limited: uploads, gRPC messages and WebSocket messages',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-9',
    rule: 'slow heads, slow bodies, slow readers and half-open sockets are closed, and do not delay other clients',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-10',
    rule: 'eight pipelined requests are processed at a time; the others are not read before',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-11',
    rule: 'every regular expression runs in linear time, or its input is limited before',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-12',
    rule: 'a byte bound counts the memory that is held, within a factor of 1.5',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-13',
    rule: 'a WebSocket with a client that does not read holds at most 256 KiB, and all of them a bounded total',
    where: 'docs/hardening.md',
  },
  {
    id: 'SOAK-1',
    rule: 'after a long run of mixed traffic with reloads, memory, handles and timers return to their initial level',
    where: 'docs/hardening.md',
  },
  {
    id: 'OUTAGE-1',
    rule: 'on a full disk everything is served; certificates are kept in memory, counts continue, and failed writes are reported',
    where: 'docs/hardening.md',
  },
  {
    id: 'OUTAGE-2',
    rule: 'unusable folders are reported, and the service starts without them',
    where: 'docs/hardening.md',
  },
  {
    id: 'OUTAGE-3',
    rule: 'if svc.yaml becomes unreadable, the running server stays unchanged, and the response has the reason',
    where: 'docs/hardening.md',
  },
  { id: 'OUTAGE-4', rule: 'after kill -9 the next start continues from the saved state', where: 'docs/hardening.md' },
  {
    id: 'OUTAGE-5',
    rule: 'a clock that moves back does not lift a limit, keep an entry beyond its bounds or stop anything',
    where: 'docs/hardening.md',
  },
]
