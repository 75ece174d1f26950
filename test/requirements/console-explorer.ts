/** Rules for the views "API explorer" and "Request bins" of the console. */
export default [
  {
    id: 'EXPLORER-1',
    rule: 'Endpoints can be searched, and filtered by category, protocol and plugin. A link restores the selection.',
    where: 'console 4',
  },
  {
    id: 'EXPLORER-2',
    rule: 'A request is filled in from examples, with fields for path parameters, headers, credentials, body and faults, and is sent as shown.',
    where: 'console 4',
  },
  {
    id: 'EXPLORER-3',
    rule: 'The response shows status, time, size, headers and body, and the request as received.',
    where: 'console 4',
  },
  {
    id: 'EXPLORER-4',
    rule: 'Events are shown as they arrive and can be stopped. A WebSocket has a log of both directions.',
    where: 'console 4',
  },
  {
    id: 'EXPLORER-5',
    rule: 'An unreachable gateway is reported with the origin to allow and a curl command.',
    where: 'console 3',
  },
  {
    id: 'EXPLORER-6',
    rule: 'X-Svc-Answer and X-Svc-Encoding have fields; JSON becomes one line of ASCII. QUERY is sent.',
    where: 'drop-in 8',
  },
  {
    id: 'BINVIEW-1',
    rule: 'Bins can be created with a configured response, listed and deleted. Their URL can be copied and tested.',
    where: 'console 4',
  },
  {
    id: 'BINVIEW-2',
    rule: 'Captured requests appear live, with the same details as in the live traffic.',
    where: 'console 4',
  },
]
