/** The rules of the MCP servers. */
export default [
  {
    id: 'MCP-1',
    rule: 'a body that is not JSON is -32700, an invalid message is -32600, both with status 400',
    where: 'mcp 3',
  },
  {
    id: 'MCP-2',
    rule: 'Accept needs one of the two types, otherwise 406; a body that is not application/json is 415',
    where: 'mcp 3',
  },
  {
    id: 'MCP-3',
    rule: 'server, Origin, method, credentials, media types, body, protocol revision and scope are checked in this order',
    where: 'mcp 3',
  },
  {
    id: 'MCP-4',
    rule: 'every response of the Streamable HTTP and HTTP+SSE routes has the five X-Svc-Mcp headers; unknown values are sent as none',
    where: 'mcp 2',
  },
  {
    id: 'MCP-5',
    rule: 'a message is stateless if the version header says so exactly or if it has an envelope',
    where: 'mcp 3',
  },
  { id: 'MCP-6', rule: 'errors have the code and the HTTP status of their protocol revision', where: 'mcp 4' },
  {
    id: 'MCP-7',
    rule: 'a stateless request has an envelope and headers that repeat it; the first failed check determines the error',
    where: 'mcp 5.1',
  },
  {
    id: 'MCP-8',
    rule: 'stateless results have resultType and serverInfo, cacheable ones ttlMs and cacheScope',
    where: 'mcp 5.2',
  },
  {
    id: 'MCP-9',
    rule: 'a response is JSON unless other messages come first and the client accepts event streams',
    where: 'mcp 5.3',
  },
  {
    id: 'MCP-10',
    rule: 'questions of stateless calls use rounds with a signed state that is bound to the call',
    where: 'mcp 5.4',
  },
  {
    id: 'MCP-11',
    rule: 'subscriptions/listen acknowledges the supported changes, sends only those, and ends with a result',
    where: 'mcp 5.5',
  },
  { id: 'MCP-12', rule: 'initialize creates a session, later requests name it, DELETE ends it', where: 'mcp 6' },
  {
    id: 'MCP-13',
    rule: 'canceling ends a call without a response; in sessions a dropped connection does not cancel',
    where: 'mcp 6',
  },
  { id: 'MCP-14', rule: 'batches of 1 to 50 messages are accepted only in sessions of 2025-03-26', where: 'mcp 6.1' },
  {
    id: 'MCP-15',
    rule: 'an interrupted stream resumes after Last-Event-ID and sends each of its messages once',
    where: 'mcp 6.3',
  },
  {
    id: 'MCP-16',
    rule: 'the HTTP+SSE transport responds on its stream, and its session ends with the stream',
    where: 'mcp 7',
  },
  { id: 'MCP-17', rule: 'each protocol revision gets only the members that it defines', where: 'mcp 8' },
  { id: 'MCP-18', rule: 'lists are paged with opaque cursors that are valid for one list', where: 'mcp 9' },
  {
    id: 'MCP-19',
    rule: 'invalid arguments are tool errors that name the argument and the problem',
    where: 'mcp 10',
  },
  { id: 'MCP-20', rule: 'the demo tools return the documented results', where: 'mcp 10' },
  { id: 'MCP-21', rule: 'calculate follows its grammar, bounds its depth and reports positions', where: 'mcp 10' },
  {
    id: 'MCP-22',
    rule: 'resources are found by URI or template; nothing outside the registry is read',
    where: 'mcp 11',
  },
  { id: 'MCP-23', rule: 'prompts check their arguments and return their messages', where: 'mcp 11' },
  { id: 'MCP-24', rule: 'completion returns values by prefix', where: 'mcp 11' },
  {
    id: 'MCP-25',
    rule: 'a server lists its selection; anything else does not exist on it',
    where: 'mcp 12',
  },
  {
    id: 'MCP-26',
    rule: 'plugins add tools, resources, prompts and servers through the extension point',
    where: 'mcp 12',
  },
  { id: 'MCP-27', rule: 'x-mcp-header is checked when a tool is registered', where: 'mcp 12' },
  {
    id: 'MCP-28',
    rule: 'svc.yaml adds named servers with selected and declared tools; invalid items are skipped and reported',
    where: 'mcp 12',
  },
  {
    id: 'MCP-29',
    rule: 'after a reload, changed lists are announced and sessions of removed servers end',
    where: 'mcp 12',
  },
  { id: 'MCP-30', rule: 'a foreign Origin gets 403 on every MCP route', where: 'mcp 13.1' },
  { id: 'MCP-31', rule: 'API-key servers accept any key, or exactly the configured one', where: 'mcp 13.2' },
  {
    id: 'MCP-32',
    rule: 'OAuth servers accept access tokens of the identity provider that are issued for them',
    where: 'mcp 13.3',
  },
  {
    id: 'MCP-33',
    rule: 'protected resources have metadata documents that match the URL that clients use',
    where: 'mcp 13.3',
  },
  { id: 'MCP-34', rule: 'the official conformance suite passes all required scenarios', where: 'mcp 14' },
  { id: 'MCP-35', rule: 'bad input gets an error of the protocol, never a 500', where: 'mcp 15' },
  {
    id: 'MCP-36',
    rule: 'sessions, subscriptions, questions, kept messages and requests in flight are limited',
    where: 'mcp 16',
  },
  {
    id: 'MCP-37',
    rule: 'the official client 1.x works unmodified in all legacy revisions and over HTTP+SSE',
    where: 'mcp 17',
  },
  { id: 'MCP-38', rule: 'the official client 2.x works unmodified in stateless and legacy revisions', where: 'mcp 17' },
  { id: 'MCP-39', rule: 'the Inspector works unmodified from its command line', where: 'mcp 17' },
  {
    id: 'MCP-40',
    rule: 'official clients complete OAuth without help: discovery, registration, PKCE, step-up',
    where: 'mcp 17',
  },
  {
    id: 'MCP-41',
    rule: 'a thousand sessions with open streams are served concurrently and leave nothing behind',
    where: 'mcp 18',
  },
]
