/** The catalog is correct: every route is described, every example works. Takes long: it sends every example. */
import t from 'tap'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { Catalog } from '../../../core/contract/plugin.ts'
import { catalogExamples, statusOfExample } from '../../support/catalog.ts'
import { serve } from '../../support/server.ts'

/** Milliseconds; an example without response headers after this time hangs. */
const PATIENCE_MS = 20_000

/** Mounts that hosts and ports reach, which serve other projects' paths: those are described in place of these. */
const MOUNT_OF_HOSTS = /^\/httpbin\/hosts\/|\/\.[a-z]/

t.test('every example gets its expected status [CAT-1]', async t => {
  const server = await serve(t)
  const { endpoints } = (await (await fetch(`${server.url}/_svc/catalog`)).json()) as Catalog
  t.ok(endpoints.length > 10)
  for (const endpoint of endpoints)
    t.ok(endpoint.examples.length > 0, `${endpoint.methods} ${endpoint.path} has an example`)
  for (const one of await catalogExamples(server.url)) {
    const { example } = one
    const what = `${example.method} ${example.path} (${example.name})`
    const status = await statusOfExample(server.url, one, PATIENCE_MS)
    if (example.expect_status === null) t.notOk([404, 405].includes(status), `${what}: ${status}`)
    else t.equal(status, example.expect_status, what)
  }
})

t.test('every registered route is described, in the catalog and in a valid OpenAPI document [CAT-2]', async t => {
  const server = await serve(t)
  const catalog = (await (await fetch(`${server.url}/_svc/catalog`)).json()) as Catalog
  const openapi = (await (await fetch(`${server.url}/openapi.json`)).json()) as { paths: Record<string, object> }
  const { valid, errors } = await new Validator().validate(openapi)
  t.ok(valid, JSON.stringify(errors))
  const known = new Set(catalog.endpoints.map(endpoint => endpoint.path))
  for (const route of server.host.current().routes.list) {
    if (MOUNT_OF_HOSTS.test(route.path)) continue
    t.ok(route.descriptions.length > 0, `${route.methods} ${route.path} is described`)
    for (const description of route.descriptions) {
      const path = description.path ?? route.path
      t.ok(known.has(path), `${path} is in the catalog`)
      t.ok(
        openapi.paths[path.replace('{*path}', '{path}')] ?? openapi.paths[path.replaceAll(/\{\*(\w+)\}/g, '{$1}')],
        `${path} is in the OpenAPI document`,
      )
      t.ok(description.summary && description.category, `${path} has a summary and a category`)
    }
  }
})
