/** The rules of MCP extensions (sheet agents-next). */
export default [
  {
    id: 'MCPX-1',
    rule: 'a server offers an extension only where it has what the extension stands for, and only in revisions that know it',
    where: 'agents-next 2',
  },
  {
    id: 'MCPX-2',
    rule: 'a task is stored before its id is sent; get, update and cancel follow the extension',
    where: 'agents-next 3',
  },
  {
    id: 'MCPX-3',
    rule: 'a task is known only to its server and its principal',
    where: 'agents-next 3',
  },
  {
    id: 'MCPX-4',
    rule: 'the number, life, size and questions of tasks are limited',
    where: 'agents-next 14',
  },
  {
    id: 'MCPX-5',
    rule: 'subscribers of a task get each change with everything that tasks/get would return',
    where: 'agents-next 3',
  },
  {
    id: 'MCPX-6',
    rule: 'the task scenarios of the official conformance suite pass without a failure',
    where: 'agents-next 15',
  },
  {
    id: 'MCPX-7',
    rule: 'answers and cancellations reach the replica that runs a task; its end is reported',
    where: 'agents-next 3',
  },
  {
    id: 'MCPX-8',
    rule: 'skills are listed, found by URI and read; unknown ones are resources that are not found',
    where: 'agents-next 4',
  },
  {
    id: 'MCPX-9',
    rule: 'plugins and svc.yaml add skills; an invalid one is left out and reported',
    where: 'agents-next 4',
  },
  {
    id: 'MCPX-10',
    rule: 'tools with a page name a resource that their server has; the page speaks only to its host',
    where: 'agents-next 5',
  },
  {
    id: 'MCPX-11',
    rule: 'the official packages read tasks, skills and apps without help',
    where: 'agents-next 15',
  },
  {
    id: 'MCPX-12',
    rule: 'a server of an official SDK is served in all revisions; each session may have its own object',
    where: 'agents-next 6',
  },
  {
    id: 'MCPX-13',
    rule: 'questions, progress, log messages, cancellation and changes pass between a bridged server and its clients',
    where: 'agents-next 6',
  },
  {
    id: 'MCPX-14',
    rule: 'calls, lists and connections of bridged servers are limited',
    where: 'agents-next 6',
  },
  {
    id: 'MCPX-15',
    rule: 'a server in svc.yaml may be a process, which is started, restarted and ended with svc, or one for each session',
    where: 'agents-next 6',
  },
  {
    id: 'MCPX-16',
    rule: 'a process asks the client of the one call in flight',
    where: 'agents-next 6',
  },
  {
    id: 'MCPX-17',
    rule: 'a process that misbehaves is ended and started again, and affects nothing else',
    where: 'agents-next 6, 13',
  },
  {
    id: 'MCPX-18',
    rule: 'a server in svc.yaml may have a URL; credentials of clients are not passed on, redirects not followed, loops detected',
    where: 'agents-next 6',
  },
  {
    id: 'MCPX-19',
    rule: 'wrong entries of bridged servers are reported and left out; processes are off in public mode',
    where: 'agents-next 6, 13',
  },
  {
    id: 'MCPX-40',
    rule: 'What a bridged server sends is bounded: 8 MiB, 100,000 values and 100 levels a message, 10 MiB of large messages of a remote server at once, 32 of its requests answered at once, lists read again once a second. Redirects are not followed, and no answer takes longer than the call',
    where: 'agents-next 4',
  },
  {
    id: 'MCPX-20',
    rule: 'the servers are listed for clients and for the control plane; bridged ones can be restarted',
    where: 'agents-next 6',
  },
  {
    id: 'MCPX-21',
    rule: 'X-Svc-Mcp-Fail refuses requests, breaks responses on the wire and changes results, in all revisions',
    where: 'agents-next 7.1',
  },
  {
    id: 'MCPX-22',
    rule: 'faults begin with a request of a caller; a header that is not valid is refused; notifications are only refused',
    where: 'agents-next 7.1',
  },
  {
    id: 'MCPX-23',
    rule: 'hostile servers say so in every response and do what they say, in all revisions, within bounds',
    where: 'agents-next 7.2',
  },
  {
    id: 'MCPX-24',
    rule: 'the tools of /_svc/mcp are operations of the control plane with the rights of the caller; no faults, no capture',
    where: 'agents-next 8',
  },
  {
    id: 'MCPX-25',
    rule: 'an agent sets up a fault, verifies traffic and resets through /_svc/mcp alone',
    where: 'agents-next 8',
  },
  {
    id: 'MCPX-26',
    rule: 'servers with OAuth accept tokens of their issuer with their scopes, bound or not, and list tools by scope',
    where: 'agents-next 2',
  },
  {
    id: 'MCPX-27',
    rule: 'the page of an app works in a sandboxed frame, loads nothing, and calls tools through its host',
    where: 'agents-next 5',
  },
  {
    id: 'MCPX-28',
    rule: 'each replica has its own connection to a bridged server; sessions, rounds, questions, tasks and counts work at all replicas',
    where: 'agents-next 3, 6',
  },
]
