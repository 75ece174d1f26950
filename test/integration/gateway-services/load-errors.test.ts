/** Wrong items of the sections of services are reported with their place in svc.yaml, and the others apply. [GWS-1] */
import t from 'tap'
import { send } from '../../support/rules.ts'
import { serve } from '../../support/server.ts'

const YAML = `services: { by_headr: true, endpoints: [x, "127.0.0.1:80"] }
ext_authz:
  default: alow
  hosts: [ext.test, ext.test]
rate_limit:
  files: [./nope]
  domains:
    - { domain: a, descriptors: [{ key: k, rate_limit: { unit: minut, requests_per_unit: 1 } }] }
    - { domain: good, descriptors: [{ key: k, rate_limit: { unit: day, requests_per_unit: 1 } }] }
    - { domain: good, descriptors: [] }
guardrails: { hosts: [{ host: g.test, serve: lakra }] }
telemetry:
  hosts: [{ host: c.test, serve: otlp }, { host: c.test, serve: otlp }]
  fields: { a: statuss, mine: status }
`

const WRONG: Readonly<Record<string, number>> = {
  'services.by_headr': 1,
  'services.endpoints[0]': 1,
  'ext_authz.default': 3,
  'ext_authz.hosts[1]': 4,
  'rate_limit.files': 6,
  'rate_limit.domains[0].descriptors[0].rate_limit.unit': 8,
  'rate_limit.domains[2].domain': 10,
  'guardrails.hosts[0].serve': 11,
  'telemetry.hosts[1]': 13,
  'telemetry.fields.a': 14,
}

t.test('each wrong item has its line', async t => {
  const server = await serve(t, {
    yaml: YAML,
  })
  const { load_errors: errors } = (await send(server, '/_svc/plugins')).json as {
    load_errors: { at: string; line: number }[]
  }
  const found = Object.fromEntries(errors.map(({ at, line }) => [at.replace(/^(rate_limit.files).*/, '$1'), line]))
  t.strictSame(found, WRONG)
  const { domains } = (await send(server, '/_svc/rate-limits')).json as { domains: { domain: string }[] }
  t.strictSame(
    domains.map(({ domain }) => domain),
    ['good'],
  )
  const reply = await send(server, 'POST /logs', { body: { mine: 418 } })
  t.equal(reply.status, 200)
  t.match((await send(server, '/_svc/telemetry/logs')).json, { logs: [{ status: 418 }] })
})
