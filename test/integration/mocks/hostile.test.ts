import t from 'tap'
import type { Json, JsonObject } from '../../../plugins/mocks/document/json.ts'
import { mockServer } from './client.ts'
import { answering, documentOf } from './document.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

const server = await mockServer(t)
const half = JSON.parse('"\\ud800"') as string
const response = (value: JsonObject): JsonObject => ({ responses: { 200: { description: 'ok', ...value } } })

/** Strange but accepted documents. No request results in a 500. */
const STRANGE: Record<string, JsonObject> = {
  'invalid media types': {
    '/x': {
      get: response({
        content: { 'application/jsön\n': { example: 1 }, '': { example: 2 }, '/': {}, 'a/b/c; x="': { example: 'x' } },
      }),
    },
  },
  'names of examples that no header holds': {
    '/x': { get: answering({ examples: { [`${half}\r\nX: 1`]: { value: 1 } } }) },
  },
  'an operation id that no header holds': {
    '/x': { get: answering({ example: 1 }, { operationId: `a\r\nb ${half} ü` }) },
  },
  'interim statuses': {
    '/x': {
      get: {
        responses: {
          100: { description: 'a' },
          101: { description: 'b' },
          '1XX': { description: 'c' },
          default: { description: 'd', content: { 'text/plain': { example: 'd' } } },
        },
      },
    },
  },
  'invalid statuses': {
    '/x': {
      get: {
        responses: {
          999: { description: 'a' },
          '2': { description: 'b' },
          abc: { description: 'c' },
          200: { description: 'ok' },
        },
      },
    },
  },
  'members of wrong types': {
    '/x': {
      get: {
        operationId: 5,
        parameters: 'none',
        requestBody: [1],
        responses: { 200: { description: 'ok', headers: [1], content: 'x' } },
        security: { key: [] },
      },
    } as unknown as JsonObject,
  },
  'parameters of wrong types': {
    '/x': {
      get: answering(
        { example: 1 },
        {
          parameters: [
            null,
            5,
            {},
            { in: 'moon', name: 'a' },
            { in: 'query' },
            { in: 'query', name: 'q', schema: { type: 5, pattern: 7, enum: 'x', required: true } },
            { in: 'query', name: 'r', style: 'strange', schema: { type: 'array' } },
          ] as Json,
        },
      ),
    },
  },
  'schemas of wrong types': {
    '/x': {
      get: answering({
        schema: {
          type: 'object',
          properties: [1],
          required: 'a',
          items: 7,
          allOf: {},
          oneOf: 'x',
          minLength: 'long',
          maximum: 'high',
          additionalProperties: 'some',
          discriminator: 'kind',
          xml: 'x',
        } as JsonObject,
      }),
    },
  },
  'bounds that cannot be met': {
    '/x': {
      get: answering({
        schema: {
          type: 'array',
          minItems: 1e9,
          maxItems: -1,
          items: { type: 'string', minLength: 1e12, maxLength: -5 },
          uniqueItems: true,
        },
      }),
    },
  },
  'numbers that cannot be met': {
    '/x': { get: answering({ schema: { type: 'integer', minimum: 1e308, maximum: -1e308, multipleOf: 1e-300 } }) },
  },
  'formats of other names': {
    '/x': { get: answering({ schema: { type: 'string', format: 'constructor', pattern: '[' } }) },
  },
  'foreign names everywhere': JSON.parse(
    '{"/__proto__/{constructor}":{"get":{"operationId":"__proto__","parameters":[{"name":"constructor","in":"path","required":true,"schema":{"type":"string"}},{"name":"__proto__","in":"query","schema":{"type":"object","properties":{"__proto__":{"type":"integer"}}}}],"responses":{"200":{"description":"ok","headers":{"__proto__":{"schema":{"type":"string"}}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/__proto__"},"examples":{"__proto__":{"value":{"__proto__":1}}}}}}}}}}',
  ) as JsonObject,
}

t.test('strange documents are rejected or served without server errors [MOCK-81]', async t => {
  for (const [name, paths] of Object.entries(STRANGE)) {
    const document = JSON.stringify(
      documentOf(
        {},
        {
          components: JSON.parse(
            '{"schemas":{"__proto__":{"type":"object","properties":{"__proto__":{"type":"integer"}}}}}',
          ) as JsonObject,
        },
      ),
    ).replace('"paths":{}', `"paths":${JSON.stringify(paths)}`)
    const upload = await server.call('/_svc/mocks/strange', { method: 'PUT', body: document })
    t.ok([200, 201, 422].includes(upload.status), `${name}: ${upload.status} ${upload.text.slice(0, 200)}`)
    for (const path of ['/x', '/__proto__/a?__proto__[__proto__]=1', '/x?q=1&r=2', '/openapi.json', '/openapi.yaml']) {
      for (const headers of [
        {},
        { accept: 'application/xml' },
        { prefer: 'dynamic=true' },
        { prefer: 'code=101' },
        { prefer: 'code=100, example=x' },
        { prefer: 'code=200' },
      ] as Record<string, string>[]) {
        const reply = await server.call(`/mock/strange${path}`, { headers })
        t.ok(
          reply.status !== 500 && reply.status >= 200,
          `${name} ${path} ${JSON.stringify(headers)}: ${reply.status} ${reply.text.slice(0, 200)}`,
        )
        t.ok(reply.text.length < 2 ** 18)
      }
    }
    for (const path of [
      '',
      '/operations',
      '/versions',
      '/spec?format=yaml',
      '/export',
      '/export?format=openapi',
      '/export?format=svc-yaml',
      '/requests',
    ])
      t.not((await server.call(`/_svc/mocks/strange${path}`)).status, 500, `${name} ${path}`)
  }
  t.same(
    server.lines.filter(line => line.includes('exception')),
    [],
  )
  t.equal(({} as JsonObject)['value'], undefined)
})

t.test('strange requests get a response [MOCK-81]', async t => {
  await server.mock('plain', {
    spec: documentOf({
      '/x/{id}': {
        get: answering(
          { example: {} },
          {
            parameters: [
              { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
              { name: 'c', in: 'cookie', schema: { type: 'integer' } },
              { name: 'd', in: 'query', style: 'deepObject', schema: { type: 'object' } },
            ],
          },
        ),
      },
    }),
  })
  const requests: [string, Record<string, string>][] = [
    ['/x/%', {}],
    ['/x/%00', {}],
    ['/x/%2e%2e%2f', {}],
    ['//x/1', {}],
    [`/${'a/'.repeat(200)}`, {}],
    [`/x/1?${'a=1&'.repeat(3000)}`, {}],
    [`/x/1?d${'[a]'.repeat(500)}=1`, {}],
    ['/x/1?%zz=%&&==', {}],
    ['/x/1', { cookie: ';;=;c;c=%zz' }],
    ['/x/1', { accept: `${'a/b,'.repeat(2000)}` }],
    ['/x/1', { prefer: '"""=,;example="' }],
    ['/x/1', { 'content-type': 'multipart/form-data; boundary=' }],
  ]
  for (const [path, headers] of requests) {
    const { status } = await server.call(`/mock/plain${path}`, { headers })
    t.ok(
      status === 200 || status === 400 || status === 404,
      `${path.slice(0, 40)} ${JSON.stringify(headers).slice(0, 40)}: ${status}`,
    )
  }
  t.same(
    server.lines.filter(line => line.includes('exception')),
    [],
  )
})

t.test('requests are validated with a cycle of 300 schemas [MOCK-92]', async t => {
  const name = (index: number): string => `T${index % 300}`
  const ref = (index: number): JsonObject => ({ $ref: `#/components/schemas/${name(index)}` })
  const schemas = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [
      name(index),
      {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'integer' }, next: ref(index + 1), other: ref(index * 7 + 3) },
      },
    ]),
  )
  const paths = {
    '/x': {
      post: {
        requestBody: { content: { 'application/json': { schema: ref(0) } } },
        responses: { 200: { description: 'ok' } },
      },
    },
  }
  const before = process.cpuUsage()
  const upload = await server.call('/_svc/mocks/ring', {
    method: 'PUT',
    body: JSON.stringify(documentOf(paths, { components: { schemas } })),
  })
  t.equal(upload.status, 201, upload.text.slice(0, 300))
  t.notMatch(upload.text, /schema_uncompilable/)
  const right = await server.call('/mock/ring/x', {
    method: 'POST',
    body: { id: 1, next: { id: 2, other: { id: 3 } } },
  })
  t.strictSame([right.status, right.headers['x-svc-mock-validation']], [200, undefined])
  const wrong = await server.call('/mock/ring/x', {
    method: 'POST',
    body: { id: 1, next: { id: 2, other: { id: 'three' } } },
  })
  t.equal(wrong.headers['x-svc-mock-violations'], '1')
  const unusable = await server.mock('unusable', {
    spec: documentOf({
      '/x': {
        post: {
          requestBody: { content: { 'application/json': { schema: { type: 'strang' } } } },
          responses: { 200: { description: 'ok' } },
        },
      },
    }),
  })
  t.match(JSON.stringify(unusable), /schema_uncompilable/)
  t.match(
    (await server.call('/mock/unusable/x', { method: 'POST', body: { id: 1 } })).headers['x-svc-mock-validation'],
    /^skipped; reason="/,
  )
  const { user, system } = process.cpuUsage(before)
  t.ok(user + system < 30e6, 'compiled within the time limit')
})
