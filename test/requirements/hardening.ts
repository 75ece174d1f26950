/** Rules for invalid input and attacks. */
export default [
  {
    id: 'FUZZ-1',
    rule: 'every parser that faces the network accepts or rejects any input: no 5xx except requested ones, no crash, no hang',
    where: 'docs/hardening.md',
  },
  {
    id: 'FUZZ-2',
    rule: 'invalid input leaves no more memory in use than the bounded stores hold',
    where: 'docs/hardening.md',
  },
  { id: 'FUZZ-3', rule: 'no input adds a property to Object.prototype', where: 'docs/hardening.md' },
  {
    id: 'HARD-1',
    rule: 'an HTTP/2 request on a connection that is already closed is dropped before a route or plugin sees it',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-2',
    rule: 'an HTTP/2 connection ends when its client ends its side, when it idles without requests, and when a PING is not answered',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-3',
    rule: 'no framing makes svc read a second request from what another parser treats as a body',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-4',
    rule: 'a request head within its 64 KiB is read completely, however many fields it has',
    where: 'docs/hardening.md',
  },
  { id: 'HARD-5', rule: 'no spelling of a path bypasses a guard that decides by path', where: 'docs/hardening.md' },
  {
    id: 'HARD-6',
    rule: 'inherited object property names are ordinary keys, treated like any other unknown name',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-7',
    rule: 'bodies that are deep, wide or have colliding keys are accepted or rejected on every route',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-8',
    rule: 'decompression is limited: uploads, gRPC messages and WebSocket messages',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-9',
    rule: 'slow heads, slow bodies, slow readers and half-open sockets are ended and do not delay others',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-10',
    rule: 'at most eight pipelined requests are processed at a time; the rest are neither read nor answered before',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-11',
    rule: 'every regular expression takes at most linear time, or its input is bounded first',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-12',
    rule: 'a byte bound counts the memory in use, within a factor of 1.5',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-13',
    rule: 'WebSockets with clients that read nothing hold 256 KiB each, and a bounded total',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-14',
    rule: 'what a process keeps for its clients besides its stores is bounded in count',
    where: 'docs/hardening.md',
  },
  {
    id: 'SOAK-1',
    rule: 'after a long run of mixed traffic with reloads, memory, handles and timers return to their initial level',
    where: 'docs/hardening.md',
  },
  {
    id: 'EVAL-1',
    rule: 'conditions of rules and of X-Svc-Expect are paid from a budget of steps: one that needs more is not met, and X-Svc-Ignored names it',
    where: 'docs/hardening.md',
  },
  {
    id: 'EVAL-2',
    rule: 'conditions, schemas and patterns of mocks are paid from the same budget: a rule that needs more does not act, and a validation is skipped',
    where: 'docs/hardening.md',
  },
  {
    id: 'EVAL-3',
    rule: 'waits, verifications and filters take turns, their evaluations and all of a run are bounded, and one that needs more is a 400 too_expensive',
    where: 'docs/hardening.md',
  },
  {
    id: 'EVAL-4',
    rule: 'documents that show the base URL are built once, or one at a time, however many names a client invents for the host',
    where: 'docs/hardening.md',
  },
  {
    id: 'EVAL-5',
    rule: 'patterns, searches, queries and comparisons take their steps before the work, and a step is worth about 10 ns for every input',
    where: 'docs/hardening.md',
  },
  {
    id: 'SOAK-2',
    rule: 'in a long run of mixed requests the heap without the stores of the metrics stays flat',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-30',
    rule: 'replies of models are paid for before they are made: templates, choices, calls, schemas, log probabilities and vectors that do not fit get 400 in the form of the provider, whatever they multiply, and do not keep other clients waiting',
    where: 'docs/hardening.md',
  },
  {
    id: 'OUTAGE-1',
    rule: 'on a full disk all requests are served; certificates are kept in memory, counting continues, and write failures are reported',
    where: 'docs/hardening.md',
  },
  {
    id: 'OUTAGE-2',
    rule: 'unusable folders are reported, and the service starts without them',
    where: 'docs/hardening.md',
  },
  {
    id: 'OUTAGE-3',
    rule: 'an svc.yaml that becomes unreadable does not affect the running server, and the reload response contains the reason',
    where: 'docs/hardening.md',
  },
  { id: 'OUTAGE-4', rule: 'after kill -9 the next start continues with the saved state', where: 'docs/hardening.md' },
  {
    id: 'OUTAGE-5',
    rule: 'a clock that is set back neither lifts a limit, nor keeps an entry beyond its bounds, nor stops anything',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-20',
    rule: 'with SVC_WORKERS, a worker that ends is started again after a second, or after up to 30 if it had not served; the process that starts them outlives any of them, and metrics are collected one at a time',
    where: 'docs/hardening.md',
  },
]
