/**
 * Documents of mocks that multiply: what they generate is counted before it is made, in bytes and in steps.
 * Measures: memory and processor time of a process.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { attackedServer, attackWith, type Answer } from '../../support/attacked-server.ts'
import type { JsonObject } from '../../../plugins/mocks/document/json.ts'
import { answering, documentOf } from '../mocks/document.ts'

t.setTimeout(600_000)

const KIB = 1024
const LONG = 'x'.repeat(300_000)
const MANY = Array.from({ length: 20_000 }, (_, index) => `k${index}`)

type Schema = JsonObject

/** Lists in lists, which multiply their items. */
function nested(levels: number, item: Schema): Schema {
  return levels === 0 ? item : { type: 'array', minItems: 1e9, items: nested(levels - 1, item) }
}

/** Schemas that each refer to the next one, more than once. */
function chain(link: (next: Schema) => Schema, end: Schema): Record<string, Schema> {
  const ref = (index: number): Schema => ({ $ref: `#/components/schemas/S${index}` })
  return Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`S${index}`, index === 29 ? end : link(ref(index + 1))]),
  )
}

interface Case {
  schema: Schema
  /** The only type of the response. */
  type?: string
  components?: Record<string, Schema>
  /** What is refused; null for an answer that is small enough. */
  code: 'output_too_large' | 'too_expensive' | null
}

const three = ['a', 'b', 'c']
const wide = {
  type: 'object',
  properties: Object.fromEntries(MANY.slice(0, 1500).map(name => [name, { type: 'string' }])),
}

const CASES: Record<string, Case> = {
  'nested lists': { schema: nested(5, { type: 'string', minLength: 1e9 }), code: 'output_too_large' },
  'a list': { schema: nested(1, { type: 'string', minLength: 1e9 }), code: null },
  'a repeated example': { schema: nested(5, { type: 'string', example: LONG }), code: 'output_too_large' },
  'a repeated constant': { schema: nested(5, { const: LONG }), code: 'output_too_large' },
  'a repeated value of an enum': { schema: nested(5, { enum: [LONG, `${LONG}y`] }), code: 'output_too_large' },
  'required members': {
    schema: nested(2, { type: 'object', required: MANY }),
    code: 'too_expensive',
  },
  'maps in maps': {
    schema: { type: 'object', minProperties: 1e9, additionalProperties: nested(3, { type: 'string', minLength: 1e9 }) },
    code: 'output_too_large',
  },
  'references that multiply members': {
    schema: { $ref: '#/components/schemas/S0' },
    components: chain(
      next => ({ type: 'object', required: three, properties: Object.fromEntries(three.map(name => [name, next])) }),
      { type: 'string', minLength: 1e6 },
    ),
    code: 'output_too_large',
  },
  'references that multiply parts': {
    schema: { $ref: '#/components/schemas/S0' },
    components: chain(next => ({ allOf: [next, next] }), wide),
    code: 'too_expensive',
  },
  'alternatives that fit nothing': {
    schema: { ...wide, oneOf: Array.from({ length: 3000 }, () => ({ type: 'null' })) },
    code: 'too_expensive',
  },
  'a repetition of nothing': { schema: { type: 'string', pattern: '(?:^){1000000000}' }, code: 'too_expensive' },
  'repeated patterns': { schema: nested(5, { type: 'string', pattern: '[a-z]{999}' }), code: 'too_expensive' },
  'long names in a form': {
    schema: { type: 'object', required: ['a'], properties: { ['a'.repeat(100_000)]: nested(3, { type: 'integer' }) } },
    type: 'application/x-www-form-urlencoded',
    code: 'too_expensive',
  },
  'long names of elements': {
    schema: nested(4, { type: 'string', xml: { name: 'n'.repeat(60_000) } }),
    type: 'application/xml',
    code: 'output_too_large',
  },
  'characters that XML escapes': {
    schema: { type: 'array', minItems: 20, items: { type: 'string', example: '"'.repeat(400_000) } },
    type: 'application/xml',
    code: 'output_too_large',
  },
}

/** A folder of documents. They are not uploaded, because a full check of such a document takes long. */
function folderOf(documents: Record<string, object>): string {
  const folder = t.testdir()
  for (const [name, document] of Object.entries(documents))
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(document))
  return folder
}

function documentOfCase({ schema, type = 'application/json', components = {} }: Case): object {
  const responses = { 200: { description: 'ok', content: { [type]: { schema } } } }
  return documentOf({ '/x': { get: { responses } } }, { components: { schemas: components } })
}

const nameOf = (index: number): string => `case-${index}`

for (const isPublic of [false, true]) {
  t.test(`generated data is counted before it is made, ${isPublic ? 'public' : 'default'} mode [MOCK-98]`, async t => {
    const documents = Object.values(CASES).map((entry, index) => [nameOf(index), documentOfCase(entry)])
    const server = await attackedServer(t, {
      isPublic,
      env: { SVC_MOCKS_DIR: folderOf(Object.fromEntries(documents)) },
    })
    // What is compiled and allocated once, such as the space for new objects, is not the cost of the attack.
    const large = nameOf(Object.keys(CASES).indexOf('a list'))
    for (let round = 0; round < 4; round++)
      await server.attack(5, () => attackWith(`${server.url}/mock/${large}/x`, { method: 'GET' }))
    for (const [index, [title, { code }]] of Object.entries(CASES).entries()) {
      const ask = (at: number): Promise<Answer> =>
        attackWith(`${server.url}/mock/${nameOf(index)}/x`, {
          method: 'GET',
          headers: { prefer: `seed=s${at}${at % 2 === 0 ? '' : ', dynamic=true'}` },
        })
      // Its code is compiled.
      for (const at of [0, 1]) await ask(at)
      const cost = await server.attack(10, ask)
      const first = cost.results[0]
      const answer = first?.status === 'fulfilled' ? first.value : null
      // In public mode an answer of 1.3 MB is too large as well.
      const expected = code ?? (isPublic ? 'output_too_large' : null)
      if (expected === null) t.equal(answer?.status, 200, title)
      else {
        t.equal(answer?.status, 400, `${title}: ${answer?.text.slice(0, 200)}`)
        t.equal(answer?.headers['x-svc-mock-error'], expected, title)
        t.match(answer?.text, expected === 'too_expensive' ? 'SVC_BUDGET_STEPS' : 'SVC_BUDGET_OUTPUT_BYTES', title)
      }
      // A large answer is sent; what it was made of remains until the garbage collection.
      t.ok(cost.grownMib < (expected === null ? 96 : 64), `${title}: ${cost.grownMib} MiB`)
      t.ok(cost.slowestWaitMs < 250, `${title}: another client waits ${cost.slowestWaitMs} ms of processor time`)
      t.equal(cost.exit, null, title)
    }
  })
}

t.test('templates of a rule are counted when they are filled [MOCK-98]', async t => {
  const server = await attackedServer(t)
  const shop = {
    spec: documentOf({ '/x': { post: answering({ example: { a: 1 } }) } }),
    rules: [
      {
        when: [{ in: 'query', name: 'as', op: 'eq', value: 'body' }],
        then: { body: { a: '{{request.body.t}}'.repeat(1000) } },
      },
      {
        when: [{ in: 'query', name: 'as', op: 'eq', value: 'merge' }],
        then: { merge: { a: '{{request.body.t}}'.repeat(1000) } },
      },
      {
        when: [{ in: 'query', name: 'as', op: 'eq', value: 'header' }],
        then: { headers: { 'X-A': '{{request.body.t}}'.repeat(300) } },
      },
      {
        when: [{ in: 'query', name: 'as', op: 'eq', value: 'list' }],
        then: { body: Array.from({ length: 1000 }, () => '{{request.body}}') },
      },
    ],
  }
  const { status } = await attackWith(`${server.url}/_svc/mocks/shop`, { method: 'PUT', body: JSON.stringify(shop) })
  t.equal(status, 201)
  const body = JSON.stringify({ t: 'x'.repeat(100 * KIB) })
  for (const as of ['body', 'merge', 'header', 'list']) {
    const cost = await server.attack(10, () =>
      attackWith(`${server.url}/mock/shop/x?as=${as}`, { headers: { 'content-type': 'application/json' }, body }),
    )
    const first = cost.results[0]
    const answer = first?.status === 'fulfilled' ? first.value : null
    t.equal(answer?.status, 400, as)
    t.equal(answer?.headers['x-svc-mock-error'], 'output_too_large', as)
    t.match(answer?.text, 'SVC_BUDGET_OUTPUT_BYTES', as)
    t.ok(cost.grownMib < 64, `${as}: ${cost.grownMib} MiB`)
    t.ok(cost.slowestWaitMs < 250, `${as}: another client waits ${cost.slowestWaitMs} ms of processor time`)
  }
})
