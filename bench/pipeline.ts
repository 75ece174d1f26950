/** What the pipeline costs: `/echo` through everything, beside bare Fastify and bare `node:http`, as ratios of one run. */
import { join } from 'node:path'
import { loadFrom, startServer } from './process.ts'

const seconds = Number(process.env.BENCH_SECONDS ?? 4)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const bare = join(import.meta.dirname, 'bare-servers.ts')
const product = join(import.meta.dirname, '..', 'core', 'main.ts')

const contestants = [
  { name: 'node:http', script: bare, args: ['node'] },
  { name: 'fastify', script: bare, args: ['fastify'] },
  { name: 'svc', script: product, args: [] },
]
const cases = [
  { name: 'GET /echo', method: 'GET', body: undefined },
  { name: 'POST /echo 1 KiB', method: 'POST', body: JSON.stringify({ text: 'x'.repeat(1000) }) },
]

for (const { name, method, body } of cases) {
  const best = new Map<string, number>()
  // Rounds alternate, so that a slow moment of the machine meets everybody.
  for (let round = 0; round < rounds; round++) {
    for (const contestant of contestants) {
      const server = await startServer(contestant.script, contestant.args, {
        SVC_HTTP_PORT: '0', SVC_HTTPS_PORT: '0', SVC_GRPC_PORT: '0', SVC_WATCH: 'false', SVC_LOG_LEVEL: process.env.SVC_LOG_LEVEL ?? 'info',
      })
      const headers: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' }
      const { requestsPerSecond } = await loadFrom({ port: server.port, path: '/echo?x=1', connections: 50, seconds, method, headers, body })
      best.set(contestant.name, Math.max(best.get(contestant.name) ?? 0, requestsPerSecond))
      await server.stop()
    }
  }
  const fastify = best.get('fastify')!
  for (const [contestant, rate] of best) console.log(`${name.padEnd(18)} ${contestant.padEnd(10)} ${rate.toFixed(0).padStart(7)} req/s  ${(rate / fastify * 100).toFixed(0).padStart(4)} % of fastify`)
}
