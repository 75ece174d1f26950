/** What the console's views "AI playground", "MCP inspector" and "A2A client" promise. */
export default [
  { id: 'AIVIEW-1', rule: 'Every provider can be asked, those of svc.yaml too, with a model of its listing or any other, streamed or whole.', where: 'console 4' },
  { id: 'AIVIEW-2', rule: 'Tool calls are answered by hand and the conversation goes on, in every wire format.', where: 'console 4' },
  { id: 'AIVIEW-3', rule: 'System message, temperature, token limit, structured output, mode, fault and further headers are sent as set.', where: 'console 4' },
  { id: 'AIVIEW-4', rule: 'Wire shows the request and every frame with its time; Forwarded what arrived next to what was sent, credentials masked; Code curl and the SDK.', where: 'console 4' },
  { id: 'AIVIEW-5', rule: 'Compare gives the same prompt to two parties side by side, with time to first token and tokens per second.', where: 'console 4' },
  { id: 'AIVIEW-6', rule: 'A provider\'s error, a stream that is stopped and a gateway that is away are told, and the conversation can go on.', where: 'console 3, 4' },
]
