/** Requests to all areas of svc, as they arrive behind a gateway: for the picture of the console, and for its tests. */

const GATEWAY = {
  'X-Forwarded-For': '203.0.113.9',
  'X-Forwarded-Proto': 'https',
  'X-Forwarded-Host': 'api.example.com',
  Via: '1.1 gateway',
}
const chat = (model: string, content: string): string =>
  JSON.stringify({ model, messages: [{ role: 'user', content }] })

const REQUESTS: [path: string, init?: RequestInit][] = [
  ['/echo/orders/7?expand=lines'],
  ['/uuid'],
  ['/cache/60'],
  ['/status/404'],
  [
    '/graphql',
    { method: 'POST', body: '{"query":"{ users { name } }"}', headers: { 'Content-Type': 'application/json' } },
  ],
  ['/flaky/pattern/FS'],
  ['/mock/petstore/v1/pets/7'],
  [
    '/a2a/weather/v1/message:send',
    {
      method: 'POST',
      body: '{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"text":"Weather in Utrecht?"}]}}',
      headers: { 'A2A-Version': '1.0' },
    },
  ],
  [
    '/guardrails/check',
    { method: 'POST', body: '{"text":"A cheap bomb"}', headers: { 'Content-Type': 'application/json' } },
  ],
  [
    '/ai/openai/v1/chat/completions',
    { method: 'POST', body: chat('svc-echo', 'Hi'), headers: { Authorization: 'Bearer sk-from-the-gateway' } },
  ],
  [
    '/ai/anthropic/v1/messages',
    {
      method: 'POST',
      body: JSON.stringify({ model: 'claude', max_tokens: 99, messages: [{ role: 'user', content: 'Hi' }] }),
      headers: { 'X-Svc-Fail': 'overloaded' },
    },
  ],
  ['/echo', { headers: { 'X-Svc-Fail': '503', 'X-Svc-Delay': '120' } }],
  [
    '/mcp/servers/weather',
    {
      method: 'POST',
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_weather","arguments":{"city":"Utrecht"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}',
      headers: {
        'Content-Type': 'application/json',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': 'tools/call',
        'Mcp-Name': 'get_weather',
        'Mcp-Param-City': 'Utrecht',
      },
    },
  ],
  [
    '/anything/payments',
    {
      method: 'POST',
      body: '{"merchant":"merchant_123","amount":99.99,"currency":"EUR"}',
      headers: {
        'Content-Type': 'application/json',
        'X-Svc-Session': 'demo-12',
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      },
    },
  ],
]

/** Statuses of the requests in their order: a picture of errors that nobody asked for would be wrong. */
export const EXPECTED = [200, 200, 200, 404, 200, 503, 200, 200, 200, 200, 529, 503, 200, 200]

/** Sends the requests one after the other, and returns their statuses. */
export async function sendRequests(url: string): Promise<number[]> {
  const statuses: number[] = []
  for (const [target, init = {}] of REQUESTS) {
    const response = await fetch(url + target, { ...init, headers: { ...GATEWAY, ...init.headers } })
    await response.arrayBuffer()
    statuses.push(response.status)
  }
  return statuses
}
