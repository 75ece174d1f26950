/** Rules for the views "Chaos and health", "Token lab" and "Mocks" of the console. */
export default [
  {
    id: 'CHAOS-1',
    rule: 'A switch changes the health of the instance, and a rejected change is reported.',
    where: 'console 4',
  },
  {
    id: 'CHAOS-2',
    rule: 'Flaky endpoints can be tried with custom values, next to their live counters, which can be reset.',
    where: 'console 4',
  },
  {
    id: 'CHAOS-3',
    rule: 'A form builds X-Svc-Delay, X-Svc-Abort and X-Svc-Fail, which the load test sends. A link restores the form.',
    where: 'console 4',
  },
  {
    id: 'CHAOS-4',
    rule: 'A load test has a method, path, headers, at most 1000 requests, 50 in flight and an optional rate, and can be stopped immediately.',
    where: 'console 4',
  },
  {
    id: 'CHAOS-5',
    rule: 'Results show statuses, p50, p90, p99, errors, retries, and one mark per request with shape and color by status class.',
    where: 'console 4',
  },
  {
    id: 'CHAOS-6',
    rule: 'For each error response, the results show whether a limit, an injected fault, the endpoint or a gateway sent it.',
    where: 'console 4',
  },
  { id: 'CHAOS-7', rule: 'The states of a circuit breaker are shown as bands.', where: 'console 4' },
  { id: 'CHAOS-8', rule: 'A run can be kept and is compared with the next one.', where: 'console 4' },
  {
    id: 'TOKENLAB-1',
    rule: 'The default grant is client credentials with the demo client. Password, refresh, token exchange and custom tokens are available, and errors show the message of the provider.',
    where: 'console 4',
  },
  {
    id: 'TOKENLAB-2',
    rule: 'The code flow with PKCE runs in a window that redirects to a page below ui/, which reports by postMessage. The state is checked, and a closed window is reported.',
    where: 'console 4',
  },
  {
    id: 'TOKENLAB-3',
    rule: 'A token is decoded with a countdown, and its signature is checked against /oauth/jwks.',
    where: 'console 4',
  },
  {
    id: 'TOKENLAB-4',
    rule: 'A token can be introspected, revoked, sent to UserInfo, and used in the API explorer.',
    where: 'console 4',
  },
  {
    id: 'TOKENLAB-5',
    rule: 'Requests are signed for /auth/hmac in all its header formats.',
    where: 'console 4; identity 11',
  },
  {
    id: 'TOKENLAB-6',
    rule: 'Webhooks are signed and verified with every scheme, also after changes.',
    where: 'console 4; toolbox 13',
  },
  {
    id: 'TOKENLAB-7',
    rule: 'On plain HTTP, where browsers do not allow hashing and signing, all other functions work, and those that need it show a notice.',
    where: 'own decision',
  },
  {
    id: 'MOCKVIEW-1',
    rule: 'Mocks are listed with switches that take effect immediately. A mock that belongs to a file cannot be edited but can be copied.',
    where: 'console 4; mocks 1',
  },
  {
    id: 'MOCKVIEW-2',
    rule: 'A document can be uploaded as a file, dropped or pasted. Errors are reported, and the text is kept.',
    where: 'console 4',
  },
  {
    id: 'MOCKVIEW-3',
    rule: 'The editor marks the lines of a report, in YAML and JSON. A document can be checked, saved as a draft and deployed, each with a report that includes breaking changes.',
    where: 'console 4; mocks 3, 6',
  },
  { id: 'MOCKVIEW-4', rule: 'Versions can be shown and rolled back to.', where: 'console 4' },
  { id: 'MOCKVIEW-5', rule: 'Operations can be tried with parameters and a preferred response.', where: 'console 4' },
  {
    id: 'MOCKVIEW-6',
    rule: 'Rules, overrides and settings have a form and a JSON editor, which update each other.',
    where: 'console 4; mocks 8',
  },
  {
    id: 'MOCKVIEW-7',
    rule: 'State can be shown, changed and cleared, traffic appears live, and the mock can be exported.',
    where: 'console 4',
  },
  {
    id: 'MOCKVIEW-8',
    rule: 'A mock of a GraphQL schema has overrides by field, type and place of the answer, and settings of its kind.',
    where: 'graphql-next 7',
  },
]
