/** What the console's views "API explorer" and "Request bins" promise. */
export default [
  {
    id: 'EXPLORER-1',
    rule: 'Endpoints are searched and narrowed by category, protocol and plugin; a link reproduces the choice.',
    where: 'console 4',
  },
  {
    id: 'EXPLORER-2',
    rule: 'A request is filled in by examples, with a field for each parameter of the path, headers, credentials, body and faults, and is sent as it stands on screen.',
    where: 'console 4',
  },
  {
    id: 'EXPLORER-3',
    rule: 'The answer shows status, time, size, headers and body, and the request as it arrived.',
    where: 'console 4',
  },
  {
    id: 'EXPLORER-4',
    rule: 'Events are shown as they come and can be stopped; a WebSocket has a log of both directions.',
    where: 'console 4',
  },
  {
    id: 'EXPLORER-5',
    rule: "A gateway that can't be reached is told, with the origin to allow and the command for curl.",
    where: 'console 3',
  },
  {
    id: 'BINVIEW-1',
    rule: 'Bins are created with a configured answer, listed and deleted; their URL can be copied and tested.',
    where: 'console 4',
  },
  { id: 'BINVIEW-2', rule: 'Captures appear live, each in detail as in the traffic.', where: 'console 4' },
]
