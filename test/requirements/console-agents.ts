/** Rules for the views "AI playground", "MCP inspector" and "A2A client" of the console. */
export default [
  {
    id: 'AIVIEW-1',
    rule: 'The playground sends requests to every provider, including those from svc.yaml, with a listed model or any other, streamed or not.',
    where: 'console 4',
  },
  {
    id: 'AIVIEW-2',
    rule: 'The user enters results for tool calls, and the conversation continues, in every wire format.',
    where: 'console 4',
  },
  {
    id: 'AIVIEW-3',
    rule: 'System message, temperature, token limit, structured output, mode, fault and further headers are sent as configured.',
    where: 'console 4',
  },
  {
    id: 'AIVIEW-4',
    rule: 'Wire shows the request and every frame with its time. Forwarded compares the received request with the sent one, with masked credentials. Code shows a curl command and SDK code.',
    where: 'console 4',
  },
  {
    id: 'AIVIEW-5',
    rule: 'Compare sends the same prompt to two models and shows time to first token and tokens per second side by side.',
    where: 'console 4',
  },
  {
    id: 'AIVIEW-6',
    rule: 'Provider errors, stopped streams and unreachable gateways are reported, and the conversation can continue.',
    where: 'console 3, 4',
  },
  {
    id: 'AIVIEW-7',
    rule: 'The playground shows what the upstream counted: totals, figures by model, key or session with a CSV link, and where streams were cut. It is refreshed by the feed of captured requests.',
    where: 'llm-next 2',
  },
  {
    id: 'MCPVIEW-1',
    rule: 'The inspector lists the servers of the instance and accepts any URL. Connecting lists tools, resources, templates and prompts, in both protocol versions, with the configured headers.',
    where: 'console 4',
  },
  {
    id: 'MCPVIEW-2',
    rule: 'Tools have a form built from their schema, show progress and can be canceled. Structured content is checked against the output schema.',
    where: 'console 4',
  },
  {
    id: 'MCPVIEW-3',
    rule: 'Resources can be read and subscribed to, templates and prompts filled in with completion.',
    where: 'console 4',
  },
  {
    id: 'MCPVIEW-4',
    rule: 'Elicitation and sampling open a form, stateless and in a session.',
    where: 'console 4',
  },
  {
    id: 'MCPVIEW-5',
    rule: 'The authorization flow for a protected server is shown request by request.',
    where: 'console 4',
  },
  {
    id: 'MCPVIEW-6',
    rule: 'Every JSON-RPC message is logged with its HTTP status and headers, and errors are reported.',
    where: 'console 4',
  },
  {
    id: 'A2AVIEW-1',
    rule: 'The directory and the cards of every agent are shown, the extended card with a token. Examples of skills fill in the message.',
    where: 'console 4',
  },
  {
    id: 'A2AVIEW-2',
    rule: 'Messages are sent in both protocol versions and both bindings, streamed, blocking and with an immediate return.',
    where: 'console 4',
  },
  {
    id: 'A2AVIEW-3',
    rule: 'A task is shown as a timeline of messages, states and artifacts, with each part shown by its type.',
    where: 'console 4',
  },
  {
    id: 'A2AVIEW-4',
    rule: 'The next message continues a task that waits for input or a token. A running task can be followed, refreshed and canceled.',
    where: 'console 4',
  },
  { id: 'A2AVIEW-5', rule: 'Task updates are pushed to a sink of the instance and shown.', where: 'console 4' },
  {
    id: 'A2AVIEW-6',
    rule: 'Every message is logged with its HTTP status and headers, and errors are reported.',
    where: 'console 4',
  },
]
