/** What the console's views "AI playground", "MCP inspector" and "A2A client" promise. */
export default [
  {
    id: 'AIVIEW-1',
    rule: 'Every provider can be asked, those of svc.yaml too, with a model of its listing or any other, streamed or whole.',
    where: 'console 4',
  },
  {
    id: 'AIVIEW-2',
    rule: 'Tool calls are answered by hand and the conversation goes on, in every wire format.',
    where: 'console 4',
  },
  {
    id: 'AIVIEW-3',
    rule: 'System message, temperature, token limit, structured output, mode, fault and further headers are sent as set.',
    where: 'console 4',
  },
  {
    id: 'AIVIEW-4',
    rule: 'Wire shows the request and every frame with its time; Forwarded what arrived next to what was sent, credentials masked; Code curl and the SDK.',
    where: 'console 4',
  },
  {
    id: 'AIVIEW-5',
    rule: 'Compare gives the same prompt to two parties side by side, with time to first token and tokens per second.',
    where: 'console 4',
  },
  {
    id: 'AIVIEW-6',
    rule: "A provider's error, a stream that is stopped and a gateway that is away are told, and the conversation can go on.",
    where: 'console 3, 4',
  },
  {
    id: 'MCPVIEW-1',
    rule: 'Own servers are offered and any URL is taken; connecting lists tools, resources, templates and prompts at once, in both versions of the protocol, with the headers given.',
    where: 'console 4',
  },
  {
    id: 'MCPVIEW-2',
    rule: 'Tools are called with a form of their schema, show progress, can be cancelled, and structured content is checked against the output schema.',
    where: 'console 4',
  },
  {
    id: 'MCPVIEW-3',
    rule: 'Resources are read and subscribed to, templates filled in, prompts got, with completion.',
    where: 'console 4',
  },
  {
    id: 'MCPVIEW-4',
    rule: 'Elicitation and sampling are answered in a form, stateless and in a session.',
    where: 'console 4',
  },
  {
    id: 'MCPVIEW-5',
    rule: 'The way to a token for a protected server is shown request by request.',
    where: 'console 4',
  },
  {
    id: 'MCPVIEW-6',
    rule: 'Every JSON-RPC message is logged with its HTTP status and headers; what fails is told.',
    where: 'console 4',
  },
  {
    id: 'A2AVIEW-1',
    rule: 'The directory and the cards of every agent are shown, the extended one with a token; examples of skills become messages.',
    where: 'console 4',
  },
  {
    id: 'A2AVIEW-2',
    rule: 'Messages are sent in both generations and both bindings, streamed, waiting and at once.',
    where: 'console 4',
  },
  {
    id: 'A2AVIEW-3',
    rule: 'A task is a timeline of what was said, its states and its artifacts, whose parts are shown by their kind.',
    where: 'console 4',
  },
  {
    id: 'A2AVIEW-4',
    rule: 'A task that waits for input or a token goes on with the next message; one that runs is followed, refreshed and cancelled.',
    where: 'console 4',
  },
  { id: 'A2AVIEW-5', rule: 'Changes of a task are pushed to a sink of the instance and shown.', where: 'console 4' },
  {
    id: 'A2AVIEW-6',
    rule: 'Every message is logged with its HTTP status and headers; errors are told.',
    where: 'console 4',
  },
]
