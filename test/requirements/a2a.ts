/** The rules of the A2A agents. */
export default [
  {
    id: 'A2A-1',
    rule: 'the public cards have a type, cache headers and a strong ETag per host, and support 304',
    where: 'a2a 3',
  },
  {
    id: 'A2A-2',
    rule: 'the combined card is the 1.0 card plus all keys that only the 0.3 card has',
    where: 'a2a 3.3',
  },
  { id: 'A2A-3', rule: 'the directory and the extension of the default card list all agents', where: 'a2a 3.4' },
  { id: 'A2A-4', rule: 'an unknown agent is 404 with the available ids, on every route', where: 'a2a 2' },
  {
    id: 'A2A-5',
    rule: 'the extended card requires a valid access token, otherwise 401 with a challenge',
    where: 'a2a 3.5',
  },
  { id: 'A2A-6', rule: 'every row of the state table holds in both versions and bindings', where: 'a2a 4' },
  { id: 'A2A-7', rule: 'the agents produce the documented artifacts and texts', where: 'a2a 4' },
  { id: 'A2A-8', rule: 'media types are checked before a task is created', where: 'a2a 4' },
  { id: 'A2A-9', rule: 'follow-ups are checked in the documented order', where: 'a2a 5' },
  { id: 'A2A-10', rule: 'each wire format has its own default for blocking sends', where: 'a2a 5' },
  { id: 'A2A-11', rule: 'historyLength limits or omits the history; invalid values are rejected', where: 'a2a 5' },
  { id: 'A2A-12', rule: 'a task can be canceled once, at any time before a terminal state', where: 'a2a 5' },
  {
    id: 'A2A-13',
    rule: 'a subscription begins with the task and ends with the next terminal or interrupted state',
    where: 'a2a 5',
  },
  {
    id: 'A2A-14',
    rule: 'all streams of a task have the same events in order, and end with a terminal or interrupted state',
    where: 'a2a 5',
  },
  { id: 'A2A-15', rule: 'ListTasks filters, orders and pages by position', where: 'a2a 5' },
  { id: 'A2A-16', rule: 'tasks belong to a session and an agent; for others they do not exist', where: 'a2a 5' },
  {
    id: 'A2A-17',
    rule: 'the version determines the available methods, and every response states its version',
    where: 'a2a 6',
  },
  { id: 'A2A-18', rule: 'bad input gets the protocol’s error in both bindings, never a 500', where: 'a2a 10' },
  {
    id: 'A2A-19',
    rule: 'a task created with one version is readable with the other, including parts of every kind',
    where: 'a2a 8',
  },
  {
    id: 'A2A-20',
    rule: 'push targets are the built-in sinks and hosts that the operator allows, nothing else',
    where: 'a2a 9',
  },
  {
    id: 'A2A-21',
    rule: 'push notifications arrive in order, with the headers and in the version of their config',
    where: 'a2a 9',
  },
  {
    id: 'A2A-22',
    rule: 'redirects are not followed, failures are retried twice, deleting a config ends its deliveries',
    where: 'a2a 9',
  },
  {
    id: 'A2A-23',
    rule: 'push configs are created, replaced, read, listed and deleted, at most ten per task',
    where: 'a2a 9',
  },
  { id: 'A2A-24', rule: 'sinks keep received notifications, limited in number and size', where: 'a2a 9' },
  {
    id: 'A2A-25',
    rule: 'tasks are limited in number, per session, in bytes and in idle time; finished ones are evicted first',
    where: 'a2a 11',
  },
  {
    id: 'A2A-26',
    rule: 'plugins add agents; a duplicate or invalid id is an error that names the plugins',
    where: 'a2a 1',
  },
  { id: 'A2A-27', rule: 'if an agent throws, its task fails', where: 'a2a 1' },
  { id: 'A2A-28', rule: 'a reload stops neither tasks nor streams nor pushes', where: 'a2a 1' },
  {
    id: 'A2A-29',
    rule: 'requests are counted with the protocol a2a; streams have the headers that proxies need',
    where: 'a2a 11',
  },
  {
    id: 'A2A-30',
    rule: 'replicas share tasks: all of them answer for each, and while an agent is at work its replica makes the changes',
    where: 'replicas 11',
  },
  {
    id: 'A2A-31',
    rule: 'the tasks of a replica that is gone fail, unless a message continues them',
    where: 'replicas 11',
  },
  {
    id: 'A2A-32',
    rule: 'gRPC has all operations, on the same tasks as the other bindings, with the same events',
    where: 'agents-next 11',
  },
  {
    id: 'A2A-33',
    rule: 'errors over gRPC have the status of the error table and the same details',
    where: 'agents-next 11',
  },
  {
    id: 'A2A-34',
    rule: 'a call over gRPC ends with its deadline or its client, and the task continues',
    where: 'agents-next 11',
  },
  {
    id: 'A2A-35',
    rule: 'cards are available signed and signed wrongly; verifiers accept the former only',
    where: 'agents-next 9',
  },
  {
    id: 'A2A-36',
    rule: 'the tasks of a tenant are seen in that tenant alone, in every binding',
    where: 'agents-next 10',
  },
  {
    id: 'A2A-37',
    rule: 'extensions that the card declares are activated by A2A-Extensions and named in the response; required ones are checked',
    where: 'agents-next 10',
  },
  {
    id: 'A2A-38',
    rule: 'test agents show missing capabilities, a missing extended card and an invalid result, and are in no list',
    where: 'agents-next 10',
  },
  {
    id: 'A2A-39',
    rule: 'a slash at the end of the path changes nothing for the default agent and for HTTP+JSON',
    where: 'agents-next 10',
  },
  {
    id: 'A2A-40',
    rule: 'the official client of 1.0 works unmodified over both transports and in its legacy mode',
    where: 'a2a 12',
  },
  {
    id: 'A2A-42',
    rule: 'the official client of 1.0 works unmodified over gRPC',
    where: 'agents-next 15',
  },
  {
    id: 'A2A-41',
    rule: 'the official client of 0.3 works unmodified over both transports from either card',
    where: 'a2a 12',
  },
  {
    id: 'A2A-48',
    rule: 'While the state store is unavailable, a run waits at its step for 30 s and loses or doubles no update; then it stops, and its task fails when the store is back.',
    where: 'replicas 11',
  },
  {
    id: 'A2A-43',
    rule: 'X-Svc-A2A-Fail, or svc.fail in the metadata of a message, refuses requests and breaks responses, in every binding that can',
    where: 'agents-next 12',
  },
  {
    id: 'A2A-44',
    rule: 'faults of a stream hold back, drop, repeat, reorder or cut its events; the task continues',
    where: 'agents-next 12',
  },
  {
    id: 'A2A-45',
    rule: 'faults stay with a task: it never ends, vanishes after reads, flaps, or has a huge artifact',
    where: 'agents-next 12',
  },
  {
    id: 'A2A-46',
    rule: 'push notifications fail, are lost, repeated, late, forged or out of order; the sink shows attempt and fault',
    where: 'agents-next 12',
  },
  {
    id: 'A2A-47',
    rule: "faults begin with a request of a caller; what can't be read is refused; cards and sinks ignore faults",
    where: 'agents-next 12',
  },
  {
    id: 'A2A-49',
    rule: 'the mandatory rules of the standard hold in all bindings, also at URLs with a slash at the end',
    where: 'agents-next 10, issue 31',
  },
  {
    id: 'A2A-50',
    rule: 'What an agent does without waiting is stored in one write, and each of its updates is reported in order.',
    where: 'replicas 9 and 11',
  },
]
