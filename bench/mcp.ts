/**
 * MCP calls a second on one core: `tools/call` and `tools/list`, stateless and in a session, beside a bare Fastify route
 * that parses and answers the same. `BENCH_SECONDS` and `BENCH_ROUNDS` say how long.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadFrom, startServer } from './process.ts'

const seconds = Number(process.env.BENCH_SECONDS ?? 4)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const CONNECTIONS = 20
const bare = join(import.meta.dirname, 'mcp-bare.ts')
const product = join(import.meta.dirname, '..', 'core', 'main.ts')
const quiet = { SVC_HTTP_PORT: '0', SVC_HTTPS_PORT: '0', SVC_GRPC_PORT: '0', SVC_WATCH: 'false', SVC_LOG_LEVEL: process.env.SVC_LOG_LEVEL ?? 'warn' }

const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} }
const add = { name: 'add', arguments: { a: 2, b: 3 } }
const message = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
const routed = (method: string) => ({ ...json, 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method })

interface Case { name: string; script: string; body: string; headers: Record<string, string>; inSession: boolean }

const cases: Case[] = [
  { name: 'bare fastify', script: bare, body: message('tools/call', { ...add, _meta: meta }), headers: json, inSession: false },
  { name: 'stateless tools/call', script: product, body: message('tools/call', { ...add, _meta: meta }), headers: { ...routed('tools/call'), 'Mcp-Name': 'add' }, inSession: false },
  { name: 'session tools/call', script: product, body: message('tools/call', add), headers: json, inSession: true },
  { name: 'stateless tools/list', script: product, body: message('tools/list', { _meta: meta }), headers: routed('tools/list'), inSession: false },
  { name: 'session tools/list', script: product, body: message('tools/list', {}), headers: json, inSession: true },
]

async function sessionHeader(port: number): Promise<Record<string, string>> {
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers: json, body: message('initialize', { protocolVersion: '2025-11-25', capabilities: {} }) })
  return { 'Mcp-Session-Id': response.headers.get('mcp-session-id') ?? '' }
}

/** Milliseconds of processor time that a process has used: unlike the rate, it hardly depends on who else is busy. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const best = new Map<string, { rate: number; p99: number; cpuUs: number }>()
// Rounds alternate, so that a slow moment of the machine meets everybody.
for (let round = 0; round < rounds; round++) {
  for (const { name, script, body, headers, inSession } of cases) {
    const server = await startServer(script, [], quiet)
    const own = inSession ? await sessionHeader(server.port) : {}
    const load = { port: server.port, path: '/mcp', method: 'POST', connections: CONNECTIONS, headers: { ...headers, ...own }, body }
    await loadFrom({ ...load, seconds: 1 })
    const cpuBefore = cpuMs(server.child.pid ?? 0)
    const { requestsPerSecond: rate, p99 } = await loadFrom({ ...load, seconds, warmUp: 0 })
    const cpuUs = (cpuMs(server.child.pid ?? 0) - cpuBefore) * 1000 / (rate * seconds)
    await server.stop()
    const before = best.get(name)
    best.set(name, { rate: Math.max(rate, before?.rate ?? 0), p99: Math.min(p99, before?.p99 ?? Infinity), cpuUs: Math.min(cpuUs, before?.cpuUs ?? Infinity) })
  }
}
const reference = best.get('bare fastify')?.rate ?? Number.NaN
for (const [name, { rate, p99, cpuUs }] of best) {
  console.log(`${name.padEnd(22)} ${rate.toFixed(0).padStart(7)} calls/s  p99 ${p99.toFixed(1).padStart(5)} ms  ${cpuUs.toFixed(0).padStart(4)} µs of processor time a call  ${(rate / reference * 100).toFixed(0).padStart(4)} % of bare fastify`)
}
