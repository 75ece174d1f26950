/** `GET /_svc/openapi.json`: the document from which clients of the control plane are generated. */
import { Validator } from '@seriousme/openapi-schema-validator'
import t from 'tap'
import type { OpenapiDocument } from '../../../core/control/openapi.ts'
import { serve } from '../../support/server.ts'

interface Content {
  [mediaType: string]: { schema: { $ref?: string } }
}
interface Operation {
  operationId: string
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}

// All plugins, since their paths are part of the document.
const server = await serve(t, { yaml: '' })
const document = (await (await fetch(`${server.url}/_svc/openapi.json`)).json()) as OpenapiDocument
const operations = Object.values(document.paths).flatMap(item => Object.values(item) as unknown as Operation[])
const schemaOf = (content: Content | undefined): string | undefined =>
  content?.['application/json']?.schema.$ref?.slice('#/components/schemas/'.length)

t.test('it is valid, and has the paths of the control plane alone, those of plugins too [CAT-7]', async t => {
  t.same(await new Validator().validate(structuredClone(document) as never), { valid: true })
  const paths = Object.keys(document.paths)
  t.strictSame(
    paths.filter(path => !path.startsWith('/_svc/')),
    [],
  )
  for (const path of ['/_svc/rules/{name}', '/_svc/requests', '/_svc/mocks/{name}', '/_svc/connections'])
    t.ok(paths.includes(path), path)
  const all = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenapiDocument
  t.strictSame(
    paths.sort(),
    Object.keys(all.paths)
      .filter(path => path.startsWith('/_svc/'))
      .sort(),
    'no path is missing',
  )
})

t.test('each body and response has a named schema, and each operation its errors [CAT-7]', async t => {
  for (const { operationId, requestBody, responses } of operations) {
    for (const { schema } of Object.values(requestBody?.content ?? {}))
      t.match(schema.$ref, /^#\/components\/schemas\//, `the body of ${operationId}`)
    for (const [status, { content }] of Object.entries(responses)) {
      for (const { schema } of Object.values(content ?? {}))
        t.match(schema.$ref, /^#\/components\/schemas\//, `${status} of ${operationId}`)
      if (/^(4|5|default)/.test(status)) t.ok(content, `${status} of ${operationId} has a body`)
    }
    t.ok(
      Object.keys(responses).some(status => /^(4|5|default)/.test(status)),
      `${operationId} has errors`,
    )
  }
  t.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length)
})

t.test('the types of rules, requests and verifications have the names of the clients [CAT-7]', async t => {
  const names =
    'Rule StoredRule Match Step CapturedRequest RequestPage Verification Verified VerificationFailure ResetResult Error'
  t.strictSame(
    names.split(' ').filter(name => document.components.schemas[name] === undefined),
    [],
  )
  const of = (path: string, method: 'get' | 'put' | 'post'): Operation =>
    document.paths[path]![method] as unknown as Operation
  t.equal(schemaOf(of('/_svc/rules/{name}', 'put').requestBody?.content), 'Rule')
  t.equal(schemaOf(of('/_svc/rules/{name}', 'get').responses['200']?.content), 'StoredRule')
  t.equal(schemaOf(of('/_svc/verify', 'post').responses['409']?.content), 'VerificationFailure')
  t.equal(schemaOf(of('/_svc/requests', 'get').responses['200']?.content), 'RequestPage')
  t.equal(schemaOf(of('/_svc/rules', 'get').responses['400']?.content), 'Error')
  t.match(document.components.schemas.Rule, { properties: { match: { $ref: '#/components/schemas/Match' } } })
})

t.test("the server's variable is the prefix of a session [CAT-8]", async t => {
  const [{ url, variables }] = document.servers as unknown as [
    { url: string; variables: { session: { default: string } } },
  ]
  t.equal(url, `${server.url}{session}`)
  t.equal(variables.session.default, '')
  const base = url.replace('{session}', '/s/mine')
  const rule = { match: { path: '/echo' }, then: { fail: 503 } }
  const stored = await fetch(`${base}/_svc/rules/one`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(rule),
  })
  t.match(await stored.json(), { scope: 'session', session: 'mine' })
  t.equal((await fetch(`${base}/echo`)).status, 503)
  t.equal((await fetch(`${server.url}/echo`)).status, 200)
  const prefixed = (await (await fetch(`${base}/_svc/openapi.json`)).json()) as OpenapiDocument
  t.ok(prefixed.servers[0]!.url.endsWith('{session}'))
})

t.test('paths of a disabled plugin are gone [CAT-7]', async t => {
  t.ok(document.paths['/_svc/mocks'])
  await fetch(`${server.url}/_svc/plugins/mocks/disable`, { method: 'POST' })
  t.teardown(() => fetch(`${server.url}/_svc/plugins/mocks/enable`, { method: 'POST' }))
  const without = (await (await fetch(`${server.url}/_svc/openapi.json`)).json()) as OpenapiDocument
  t.notOk(without.paths['/_svc/mocks'])
})
