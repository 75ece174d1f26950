/** What the service promises under wrong input and under attack. */
export default [
  {
    id: 'FUZZ-1',
    rule: 'whatever a parser that faces the network is given, it answers or refuses: no 5xx but the demanded ones, no crash, no hang',
    where: 'docs/hardening.md',
  },
  {
    id: 'FUZZ-2',
    rule: 'wrong input leaves no more memory behind than the bounded stores hold',
    where: 'docs/hardening.md',
  },
  { id: 'FUZZ-3', rule: 'no input adds a property to the prototype of every object', where: 'docs/hardening.md' },
  {
    id: 'HARD-1',
    rule: 'an HTTP/2 request whose connection is already gone is dropped before a route or plugin sees it',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-2',
    rule: 'an HTTP/2 connection ends when its client ends its side, when it idles without requests, and when a PING stays unanswered',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-3',
    rule: 'no form of framing makes a second request of what another parser takes for a body',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-4',
    rule: 'a head within its 64 KiB is read whole, however many fields it has',
    where: 'docs/hardening.md',
  },
  { id: 'HARD-5', rule: 'no spelling of a path gets by a guard that decides by path', where: 'docs/hardening.md' },
  {
    id: 'HARD-6',
    rule: 'names that objects inherit are ordinary keys, and as unknown as any other name',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-7',
    rule: 'bodies that are deep, wide or have keys of one hash are answered or refused on every route',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-8',
    rule: 'what is inflated is inflated to a limit: uploads, messages of gRPC and of WebSockets',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-9',
    rule: 'slow heads, slow bodies, slow readers and half-open sockets end, and hold up nobody else meanwhile',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-10',
    rule: 'of pipelined requests eight are under way at a time, and the rest are neither read nor answered before',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-11',
    rule: 'no regular expression takes more than linear time, or what it is matched against is bounded before',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-12',
    rule: 'a byte bound counts the memory that is held, within a factor of 1.5',
    where: 'docs/hardening.md',
  },
  {
    id: 'HARD-13',
    rule: 'WebSockets whose clients read nothing hold 256 KiB each, and a bounded total',
    where: 'docs/hardening.md',
  },
  {
    id: 'SOAK-1',
    rule: 'after a long run of mixed traffic with reloads, memory, handles and timers are back where they were',
    where: 'docs/hardening.md',
  },
  {
    id: 'OUTAGE-1',
    rule: 'on a full disk everything is served; certificates come from memory, counts go on, and what can not be written is told',
    where: 'docs/hardening.md',
  },
  {
    id: 'OUTAGE-2',
    rule: 'folders that can not be used are told, and the service starts without them',
    where: 'docs/hardening.md',
  },
  {
    id: 'OUTAGE-3',
    rule: 'an svc.yaml that becomes unreadable leaves the running server as it is, with the reason in the answer',
    where: 'docs/hardening.md',
  },
  { id: 'OUTAGE-4', rule: 'after kill -9 the next start goes on with what was saved', where: 'docs/hardening.md' },
  {
    id: 'OUTAGE-5',
    rule: 'a clock that goes back neither opens a limit nor keeps an entry beyond its bounds nor stops anything',
    where: 'docs/hardening.md',
  },
]
