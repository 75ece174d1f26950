/** Envoy with the files of its page has no finding in the groups of the probe about services. [GWS-1] */
import t from 'tap'
import { CATALOG } from '../../plugins/probe/checks/index.ts'
import { findings, passedIds, probeThrough } from '../probe/probe-through.ts'
import { absence } from '../support/real-gateways.ts'
import { serve } from '../support/server.ts'
import { startEnvoyOf } from './support/recipes.ts'

t.test('Envoy', { skip: absence('envoy') }, async t => {
  t.setTimeout(0)
  const server = await serve(t, { oneProcess: 'its requests are read at once' })
  const through = await startEnvoyOf(t, server, { filters: 'services.yaml', members: 'reports.yaml' })
  const { origin } = new URL((await through('/echo')).url)
  const checks = CATALOG.filter(({ group }) => group === 'authz' || group === 'report')
  const run = await probeThrough(origin, server.url, { checks })
  const passed = passedIds(run)
  t.strictSame(findings(run), [])
  const expected = ['AUTHZ-DENY', 'AUTHZ-HEADERS', 'AUTHZ-TARGET', 'AUTHZ-DOWN', 'RPT-STATUS', 'RPT-IDS']
  t.strictSame(
    expected.filter(id => !passed.includes(id)),
    [],
  )
})

t.test('Envoy with the processor of its page', { skip: absence('envoy') }, async t => {
  t.setTimeout(0)
  const server = await serve(t, { oneProcess: 'its requests are read at once' })
  const through = await startEnvoyOf(t, server, { filters: 'processor.yaml' })
  const upper = await through('/echo', { method: 'POST', body: 'hello', headers: { 'x-svc-proc': 'upper' } })
  t.match(await upper.text(), 'HELLO')
  const statuses = { 'immediate:418': 418, error: 500 }
  for (const [value, status] of Object.entries(statuses))
    t.equal((await through('/echo', { headers: { 'x-svc-proc': value } })).status, status, value)
  const { origin } = new URL((await through('/echo')).url)
  const run = await probeThrough(origin, server.url, { checks: CATALOG.filter(({ group }) => group === 'proc') })
  t.strictSame(findings(run), [])
  const expected = ['PROC-HEADERS', 'PROC-BODY', 'PROC-WHOLE', 'PROC-IMMEDIATE', 'PROC-DOWN']
  t.strictSame(
    expected.filter(id => !passedIds(run).includes(id)),
    [],
  )
})
