/** Filters, waits, verification and export of captured requests. */
export default [
  {
    id: 'SEE-1',
    rule: 'captured requests are filtered by method, path, host, status, header, query, JSON value, body text, rule, replica and what came after, in either order',
    where: 'testing 4',
  },
  {
    id: 'SEE-2',
    rule: 'a wrong or unknown filter is a 400 that names the parameter, and the closest known one',
    where: 'testing 4',
  },
  {
    id: 'SEE-3',
    rule: 'wait_for responds as soon as the number of matching requests is reached, stored ones included, or when the time is over',
    where: 'testing 4',
  },
  {
    id: 'SEE-4',
    rule: 'the number of open waits is bounded, and a client that disconnects ends its wait',
    where: 'testing 4',
  },
  {
    id: 'SEE-7',
    rule: 'conditions on stored requests are evaluated in slices, so that other requests are served, and stop after ten seconds',
    where: 'docs/observability.md',
  },
  {
    id: 'VERIFY-1',
    rule: 'a verification holds or fails by number: exactly, at least, at most, none',
    where: 'testing 4',
  },
  {
    id: 'VERIFY-2',
    rule: 'within_ms waits: a lower bound holds at once, too many fail at once, an exact number must be the last, an upper bound holds at the end',
    where: 'testing 4',
  },
  {
    id: 'VERIFY-3',
    rule: 'an order is that of arrival; strict allows none of the matches between',
    where: 'testing 4',
  },
  {
    id: 'VERIFY-4',
    rule: 'a failed verification is a 409 with the closest requests and their differences',
    where: 'testing 4',
  },
  { id: 'VERIFY-5', rule: 'a wrong verification is a 400 with the place of the first mistake', where: 'testing 4' },
  { id: 'VERIFY-6', rule: 'a verification says how many requests are no longer stored', where: 'testing 4' },
  {
    id: 'VERIFY-7',
    rule: 'a verification sees the session of the request, of the query or of its body, one session in public mode, and needs the scope inspector only',
    where: 'testing 4',
  },
  {
    id: 'SEE-5',
    rule: 'captured requests are exported as HAR 1.2, with the responses, oldest first',
    where: 'testing 4',
  },
  {
    id: 'SEE-6',
    rule: 'captured requests are exported as curl commands that send the same bytes again',
    where: 'testing 4',
  },
]
