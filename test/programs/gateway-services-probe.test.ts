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
