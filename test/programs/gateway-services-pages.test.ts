/** Every configuration of `docs/gateways` that names a service of svc is started by a test of this tier; here the limits of Envoy. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { blocksOf, root } from '../support/examples.ts'
import { absence } from '../support/real-gateways.ts'
import { serve } from '../support/server.ts'
import { startEnvoyOf } from './support/recipes.ts'

const PAGES = join(root, 'docs', 'gateways')
/** Of a block of a page: what svc offers to gateways. */
const SERVICE =
  /ext[-_]authz|ext_proc|ratelimit|svc_limit|http_grpc|OpenTelemetryConfig|\/otlp|\/guardrails\/|syslog:|svc:5514|ext[-_]mcp/

t.test('each configuration that names a service is started', t => {
  const tests = readdirSync(import.meta.dirname)
    .filter(name => name.endsWith('.test.ts'))
    .concat(join('support', 'recipe-files.ts'))
    .map(name => readFileSync(join(import.meta.dirname, name), 'utf8'))
    .join('\n')
  const named: string[] = []
  for (const page of readdirSync(PAGES).filter(name => name.endsWith('.md') && name !== 'matrix.md'))
    for (const { text, language, line } of blocksOf(readFileSync(join(PAGES, page), 'utf8'))) {
      if (['console', 'sh', 'text', 'json'].includes(language) || !SERVICE.test(text)) continue
      const name = /^(?:#|--) ([\w.-]+)\n/.exec(text)?.[1]
      named.push(`${page}: ${name}`)
      t.ok(name !== undefined && tests.includes(name), `docs/gateways/${page}:${line} is started by a test`)
    }
  t.ok(named.length > 6, named.join(', '))
  t.end()
})

t.test('Envoy counts with the limits of its page', { skip: absence('envoy') }, async t => {
  t.setTimeout(0)
  const server = await serve(t, { oneProcess: 'its requests are read at once' })
  const through = await startEnvoyOf(t, server, { filters: 'services.yaml', limits: 'rate-limits.yaml' })
  const get = async (path: string, headers: Record<string, string> = {}): Promise<number> =>
    (await through(path, { headers })).status
  t.strictSame([await get('/echo/1'), await get('/echo/1')], [200, 200])
  const over = await through('/echo/1')
  t.match([over.status, over.headers.get('ratelimit-remaining')], [429, '0'])
  t.equal(await get('/echo/2'), 200, 'the path is counted')
  t.equal(await get('/echo/3', { 'x-svc-ratelimit': 'over' }), 429)
  t.equal(await get('/echo/3', { 'x-svc-ratelimit': 'error' }), 200, 'a service that fails lets requests pass')
})
