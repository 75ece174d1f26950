/** What the console's views "Chaos and health", "Token lab" and "Mocks" promise. */
export default [
  { id: 'CHAOS-1', rule: 'Health is switched here; a refusal is told.', where: 'console 4' },
  { id: 'CHAOS-2', rule: 'Flaky endpoints are tried with values of one\'s own, beside their live counters, which can be reset.', where: 'console 4' },
  { id: 'CHAOS-3', rule: 'X-Svc-Delay, X-Svc-Abort and X-Svc-Fail are built in a form and go with the load; a link reproduces the load.', where: 'console 4' },
  { id: 'CHAOS-4', rule: 'A load has a method, path, headers, at most 1000 requests, 50 in flight and an optional rate, and stops at once.', where: 'console 4' },
  { id: 'CHAOS-5', rule: 'Results show statuses, p50, p90, p99, errors, retries seen, and a mark per request whose shape and colour tell its status class.', where: 'console 4' },
  { id: 'CHAOS-6', rule: 'Of each refusal it is told whether a limit, an injected fault, the endpoint or a gateway sent it.', where: 'console 4' },
  { id: 'CHAOS-7', rule: 'States of a circuit breaker are shown as bands.', where: 'console 4' },
  { id: 'CHAOS-8', rule: 'A run can be kept and is laid under the next.', where: 'console 4' },
]
