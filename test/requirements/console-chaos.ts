/** What the console's views "Chaos and health", "Token lab" and "Mocks" promise. */
export default [
  { id: 'CHAOS-1', rule: 'Health is switched here; a refusal is told.', where: 'console 4' },
  {
    id: 'CHAOS-2',
    rule: "Flaky endpoints are tried with values of one's own, beside their live counters, which can be reset.",
    where: 'console 4',
  },
  {
    id: 'CHAOS-3',
    rule: 'X-Svc-Delay, X-Svc-Abort and X-Svc-Fail are built in a form and go with the load; a link reproduces the load.',
    where: 'console 4',
  },
  {
    id: 'CHAOS-4',
    rule: 'A load has a method, path, headers, at most 1000 requests, 50 in flight and an optional rate, and stops at once.',
    where: 'console 4',
  },
  {
    id: 'CHAOS-5',
    rule: 'Results show statuses, p50, p90, p99, errors, retries seen, and a mark per request whose shape and color tell its status class.',
    where: 'console 4',
  },
  {
    id: 'CHAOS-6',
    rule: 'Of each refusal it is told whether a limit, an injected fault, the endpoint or a gateway sent it.',
    where: 'console 4',
  },
  { id: 'CHAOS-7', rule: 'States of a circuit breaker are shown as bands.', where: 'console 4' },
  { id: 'CHAOS-8', rule: 'A run can be kept and is laid under the next.', where: 'console 4' },
  {
    id: 'TOKENLAB-1',
    rule: "Client credentials, with the demo client, are the default; password, refresh, exchange and tokens to order are there too, and a refusal is told in the provider's words.",
    where: 'console 4',
  },
  {
    id: 'TOKENLAB-2',
    rule: 'Code with PKCE runs in a window that comes back to a page below ui/, by postMessage; state is checked, a window that is closed is told.',
    where: 'console 4',
  },
  {
    id: 'TOKENLAB-3',
    rule: 'A token is decoded with a countdown, and its signature checked against /oauth/jwks.',
    where: 'console 4',
  },
  {
    id: 'TOKENLAB-4',
    rule: 'A token is introspected, revoked, shown to UserInfo, and handed to the explorer as a bearer.',
    where: 'console 4',
  },
  { id: 'TOKENLAB-5', rule: 'Requests are signed for /auth/hmac in all its forms.', where: 'console 4; identity 11' },
  {
    id: 'TOKENLAB-6',
    rule: 'Webhooks are signed and verified by every scheme, also after they were changed.',
    where: 'console 4; toolbox 13',
  },
  {
    id: 'TOKENLAB-7',
    rule: 'On plain HTTP, where browsers neither hash nor sign, what does not need it works, and what does says so.',
    where: 'own decision',
  },
  {
    id: 'MOCKVIEW-1',
    rule: 'Mocks are listed with switches that act at once; one that belongs to a file is not edited but copied.',
    where: 'console 4; mocks 1',
  },
  {
    id: 'MOCKVIEW-2',
    rule: 'A document is uploaded as a file, dropped or pasted; what speaks against it is told and nothing is lost.',
    where: 'console 4',
  },
  {
    id: 'MOCKVIEW-3',
    rule: 'The editor marks the lines of a report, in YAML and in JSON; the document is checked, saved as a draft and deployed with its report, breaking changes included.',
    where: 'console 4; mocks 3, 6',
  },
  { id: 'MOCKVIEW-4', rule: 'Versions are shown and rolled back to.', where: 'console 4' },
  { id: 'MOCKVIEW-5', rule: 'Operations are tried with parameters and a preferred answer.', where: 'console 4' },
  {
    id: 'MOCKVIEW-6',
    rule: 'Rules, overrides and settings are forms with their JSON beside, each changing the other.',
    where: 'console 4; mocks 8',
  },
  {
    id: 'MOCKVIEW-7',
    rule: 'State is shown, changed and cleared; traffic appears live; everything is exported.',
    where: 'console 4',
  },
]
