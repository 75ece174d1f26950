import { launch } from './core/testing/launch.ts'
import { CATALOG } from './plugins/probe/checks/index.ts'
import { readRoutes } from './plugins/probe/client/routes.ts'
import { probeThrough } from './test/probe/probe-through.ts'
import { startToyGateway } from './test/probe/ai-gateways/toy-gateway.ts'
const BASES = { openai: '/openai/v1', anthropic: '/anthropic', gemini: '/gemini', bedrock: '/bedrock' }
const PAIRS = ['chat', 'responses', 'messages', 'gemini', 'converse']
const groups = (process.argv[2] ?? 'llm,translate,guardrails,realtime').split(',')
const server = await launch()
const toy = await startToyGateway({ upstream: server.url, models: Object.fromEntries(PAIRS.map(w => [`model-${w}`, w])) })
const routes = readRoutes({ llm: { ...BASES, wires: PAIRS, marks: 'cache_control', model: 'model-chat' } })
if (typeof routes === 'string') throw new Error(routes)
const checks = CATALOG.filter(({ group }) => groups.includes(group))
const at = performance.now(), cpu = process.cpuUsage()
const run = await probeThrough(toy.url, server.url, { checks, routes, repeat: 3 })
const used = process.cpuUsage(cpu)
console.log('took', Math.round(performance.now() - at), 'cpu ms', Math.round((used.user + used.system) / 1000), 'requests', run.requests, 'results', run.results.length)
const by: Record<string, number> = {}
for (const { verdict } of run.results) by[verdict] = (by[verdict] ?? 0) + 1
console.log(by)
for (const { check, pair, verdict, summary, reason, tookMs } of run.results) if (!['pass', 'note', 'skip'].includes(verdict)) console.log(check.id, pair, verdict, reason ?? summary, tookMs)
await toy.close(); await server.stop()
