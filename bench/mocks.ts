/** What a mocked route costs beside a plain one of the same size, as ratios of one run. */
import { join } from 'node:path'
import { loadFrom, startServer } from './process.ts'

const seconds = Number(process.env.BENCH_SECONDS ?? 3)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const product = join(import.meta.dirname, '..', 'core', 'main.ts')
const json = { 'Content-Type': 'application/json' }

interface Case {
  name: string
  path: string
  method?: string
  headers?: Record<string, string>
  body?: string
}

/** The first is what the others are compared with. */
const cases: Case[] = [
  { name: 'plain: GET /uuid', path: '/uuid' },
  { name: 'plain: POST /echo', path: '/echo', method: 'POST', headers: json, body: '{"name":"Rex"}' },
  { name: 'an example', path: '/mock/petstore/v1/pets/7' },
  { name: 'an example, Prefer', path: '/mock/petstore/v1/pets/7', headers: { Prefer: 'example=cat' } },
  { name: 'generated, remembered', path: '/mock/petstore/v1/pets/7', headers: { Prefer: 'dynamic=true' } },
  { name: 'generated anew', path: '/mock/petstore/v1/pets/7', headers: { Prefer: 'dynamic=true, seed=random' } },
  { name: 'a body that is checked', path: '/mock/petstore/v1/pets', method: 'POST', headers: json, body: '{"name":"Rex"}' },
]

const best = new Map<string, { rate: number; p99: number }>()
const server = await startServer(product, [], { SVC_HTTP_PORT: '0', SVC_HTTPS_PORT: '0', SVC_GRPC_PORT: '0', SVC_WATCH: 'false', SVC_LOG_LEVEL: process.env.SVC_LOG_LEVEL ?? 'warn' })
// Rounds alternate, so that a slow moment of the machine meets everybody.
for (let round = 0; round < rounds; round++) {
  for (const { name, ...load } of cases) {
    const { requestsPerSecond, p99 } = await loadFrom({ ...load, port: server.port, connections: 50, seconds })
    if (requestsPerSecond > (best.get(name)?.rate ?? 0)) best.set(name, { rate: requestsPerSecond, p99 })
  }
}
await server.stop()
const plain = best.get(cases[0]!.name)!.rate
for (const [name, { rate, p99 }] of best) console.log(`${name.padEnd(24)} ${rate.toFixed(0).padStart(7)} req/s  ${(rate / plain * 100).toFixed(0).padStart(4)} % of /uuid  p99 ${p99.toFixed(1)} ms`)
