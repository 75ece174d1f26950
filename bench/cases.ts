/** The benchmark cases: each repeats one request. */
import type { Load } from './load.ts'
import { putStub, SVC_RULE } from './tools/stubs.ts'

export interface Case {
  name: string
  path: string
  method?: string
  headers?: Record<string, string>
  body?: string
  /** Sends the requests that have to come first; returns headers for the case's request. */
  prepare?(base: string): Promise<Record<string, string>>
}

const json = { 'Content-Type': 'application/json' }
const key = { ...json, Authorization: 'Bearer sk-bench-0000' }
/** Tokens without delays, to measure the writer and not its clock. */
const unpaced = { ...key, 'X-Svc-Tokens-Per-Second': '0' }
const mcp = { ...json, Accept: 'application/json, text/event-stream' }
const add = { name: 'add', arguments: { a: 2, b: 3 } }
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

function rpc(method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}

export function chat(stream: boolean): string {
  return JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }], stream })
}

async function mcpSession(base: string): Promise<Record<string, string>> {
  const response = await fetch(`${base}/mcp`, {
    method: 'POST',
    headers: mcp,
    body: rpc('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1' },
    }),
  })
  await response.text()
  return { 'Mcp-Session-Id': response.headers.get('mcp-session-id') ?? '' }
}

const CLIENT = {
  Authorization: `Basic ${Buffer.from('svc:svc-secret').toString('base64')}`,
  'Content-Type': 'application/x-www-form-urlencoded',
}
const CREDENTIALS = 'grant_type=client_credentials&scope=openid'

async function bearer(base: string): Promise<Record<string, string>> {
  const response = await fetch(`${base}/oauth/token`, { method: 'POST', headers: CLIENT, body: CREDENTIALS })
  const { access_token: token } = (await response.json()) as { access_token: string }
  return { Authorization: `Bearer ${token}` }
}

export const ECHO_GET = 'GET /echo'
export const ECHO_POST = 'POST /echo, 1 KiB'
export const STATUS = '/status/200'
export const RULE = 'response of a rule'
export const MOCKED = '/mock/petstore'
export const CHAT = 'chat completion'
export const STREAM = 'chat, streamed'

export const cases: Case[] = [
  { name: ECHO_GET, path: '/echo?x=1' },
  {
    name: ECHO_POST,
    path: '/echo?x=1',
    method: 'POST',
    headers: json,
    body: JSON.stringify({ text: 'x'.repeat(1000) }),
  },
  { name: STATUS, path: '/status/200' },
  {
    name: RULE,
    path: '/stub',
    async prepare(base) {
      await putStub(`${base}/_svc/rules/${SVC_RULE.name}`, 'PUT', SVC_RULE)
      return {}
    },
  },
  {
    name: CHAT,
    path: '/ai/openai/v1/chat/completions',
    method: 'POST',
    headers: key,
    body: chat(false),
  },
  {
    name: STREAM,
    path: '/ai/openai/v1/chat/completions',
    method: 'POST',
    headers: unpaced,
    body: chat(true),
  },
  {
    name: 'Anthropic, streamed',
    path: '/ai/anthropic/v1/messages',
    method: 'POST',
    headers: { ...unpaced, 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({
      model: 'svc-claude',
      max_tokens: 256,
      stream: true,
      messages: [{ role: 'user', content: 'hello' }],
    }),
  },
  {
    name: 'Gemini, streamed',
    path: '/ai/gemini/v1beta/models/svc-gemini:streamGenerateContent?alt=sse',
    method: 'POST',
    headers: unpaced,
    body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'hello there' }] }] }),
  },
  {
    name: 'MCP tools/call, stateless',
    path: '/mcp',
    method: 'POST',
    headers: { ...mcp, 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'add' },
    body: rpc('tools/call', { ...add, _meta: meta }),
  },
  {
    name: 'MCP tools/call, session',
    path: '/mcp',
    method: 'POST',
    headers: mcp,
    body: rpc('tools/call', add),
    prepare: mcpSession,
  },
  {
    name: 'A2A SendMessage',
    path: '/a2a/echo',
    method: 'POST',
    headers: { ...json, 'A2A-Version': '1.0' },
    body: rpc('SendMessage', { message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'Hello, agent' }] } }),
  },
  {
    name: 'GraphQL query',
    path: '/graphql',
    method: 'POST',
    headers: json,
    body: JSON.stringify({ query: '{ users(limit: 2) { id name orders { id total } } }' }),
  },
  { name: 'JSON-RPC', path: '/jsonrpc', method: 'POST', headers: json, body: rpc('add', [1, 2, 3]) },
  { name: MOCKED, path: '/mock/petstore/v1/pets/7' },
  { name: '/auth/jwt', path: '/auth/jwt', prepare: bearer },
  { name: '/oauth/token', path: '/oauth/token', method: 'POST', headers: CLIENT, body: CREDENTIALS },
  {
    name: 'guardrails, 1 KiB',
    path: '/guardrails/check',
    method: 'POST',
    headers: json,
    body: JSON.stringify({ text: 'The quick brown fox jumps over the lazy dog. '.repeat(23).slice(0, 1000) }),
  },
]

/** The load that repeats a case's request on a port. */
export async function loadOf(
  { name: _name, prepare, ...request }: Case,
  port: number,
): Promise<Omit<Load, 'seconds' | 'connections'>> {
  const extra = await prepare?.(`http://127.0.0.1:${port}`)
  return { port, warmUp: 0, ...request, headers: { ...request.headers, ...extra } }
}
