/** `/openapi.json`, checked with a linter and against real responses. */
import t from 'tap'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { checkProbe, probesOf, SchemaChecker, type Document } from '../../support/openapi-walk.ts'
import { serve } from '../../support/server.ts'

/** Concurrent requests. */
const PARALLEL = 8

/** Clients require three paths with a trailing slash; redirects have no 2XX; errors of any route are not listed. */
const RULES = {
  'no-path-trailing-slash': 'off',
  'operation-2xx-response': 'off',
  'operation-4xx-response': 'off',
  'info-license': 'off',
  'tag-description': 'off',
  'no-invalid-parameter-examples': 'error',
  'no-invalid-media-type-examples': 'error',
  'security-defined': 'error',
  'no-server-example.com': 'off',
} as const

t.test('a linter finds no problem in the OpenAPI document [CAT-3]', async t => {
  const server = await serve(t)
  const source = await (await fetch(`${server.url}/openapi.json`)).text()
  const config = await createConfig({ extends: ['recommended'], rules: RULES })
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config })
  t.strictSame(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`),
    [],
  )
  const { components, paths } = JSON.parse(source) as {
    components: { securitySchemes: object }
    paths: Record<string, Record<string, { security?: object[] }>>
  }
  t.strictSame(Object.keys(components.securitySchemes).sort(), [
    'adminToken',
    'apiKey',
    'basic',
    'bearer',
    'header.Sec-WebSocket-Protocol',
    'header.X-Team-Key',
    'header.api-key',
    'header.apikey',
    'header.authorization',
    'header.x-goog-api-key',
    'http.DPoP',
    'http.Signature',
    'http.hmac',
    'mutualTls',
    'query.Authorization',
    'query.access_token',
    'query.api-key',
    'query.key',
  ])
  t.match(components.securitySchemes, {
    'header.api-key': { type: 'apiKey', in: 'header', name: 'api-key' },
    'query.key': { in: 'query', name: 'key' },
    'http.Signature': { type: 'http', scheme: 'Signature' },
  })
  t.strictSame(paths['/auth/jwt']?.get?.security, [{ bearer: [] }])
  t.strictSame(paths['/_svc/requests']?.get?.security, [{}, { bearer: [] }, { adminToken: [] }])
  for (const [path, ...keys] of [
    ['/ai/openai/v1/chat/completions', 'bearer'],
    ['/ai/azure/openai/v1/responses', 'header.api-key', 'bearer'],
    ['/ai/anthropic/v1/messages', 'apiKey', 'bearer'],
    ['/ai/gemini/v1beta/models/{model}:generateContent', 'header.x-goog-api-key', 'query.key', 'bearer'],
    ['/ai/bedrock/model/{modelId}/converse', 'header.authorization', 'bearer'],
    ['/ai/ollama/api/chat', 'bearer'],
    ['/ai/cohere/v2/chat', 'bearer'],
  ] as const)
    t.strictSame(paths[path]?.post?.security, [{}, ...keys.map(key => ({ [key]: [] }))], path)
})

t.test('a provider that demands a credential says so in the document [CAT-3]', async t => {
  const server = await serve(t, {
    yaml: 'plugins: { enable: [llm, llm-openai] }\nllm: { providers: [{ name: strict, format: openai, require_auth: true }, { name: open, format: openai }] }\n',
  })
  const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { security?: object[] }>>
  }
  t.strictSame(paths['/ai/strict/v1/chat/completions']?.post?.security, [{ bearer: [] }])
  t.strictSame(paths['/ai/open/v1/chat/completions']?.post?.security, [{}, { bearer: [] }])
})

t.test('every response to generated requests matches the OpenAPI document [CAT-4]', async t => {
  const server = await serve(t)
  const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document
  const probes = [...probesOf(document)]
  t.ok(probes.length > 1000, `${probes.length} requests`)
  const checker = new SchemaChecker(document)
  const problems = new Map<string, string>()
  const send = async (): Promise<void> => {
    for (let probe = probes.pop(); probe !== undefined; probe = probes.pop()) {
      const problem = await checkProbe(server.url, probe, checker)
      if (problem !== null) problems.set(`${probe.method} ${probe.template}: ${problem}`, probe.path)
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, send))
  t.strictSame(
    [...problems].map(([problem, path]) => `${problem} (${path})`),
    [],
  )
})

t.test('nine in ten operations say what a success holds, in a form that generators compile [CAT-5]', async t => {
  const server = await serve(t)
  const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
  )
  const silent = operations.filter(({ operation }) => !saysWhatItHolds(operation))
  t.ok(
    silent.length <= operations.length / 10,
    `${silent.length} of ${operations.length}: ${silent.map(({ name }) => name)}`,
  )
  for (const [path, method, name] of [
    ['/uuid', 'get', undefined],
    ['/oauth/jwks', 'get', 'JwkSet'],
    ['/ai/openai/v1/chat/completions', 'post', 'OpenAiChatCompletion'],
  ] as const) {
    const schema = document.paths[path]?.[method]?.responses['200']?.content?.['application/json']?.schema
    if (name === undefined) t.match(schema, { properties: { uuid: { type: 'string' } }, required: ['uuid'] })
    else t.strictSame(schema, { $ref: `#/components/schemas/${name}` })
  }
  const problems: string[] = []
  walkSchemas(document, (schema, at) => {
    if (schema.type === 'array' && schema.items === undefined && schema.prefixItems === undefined)
      problems.push(`${at} has no items`)
    if (
      Array.isArray(schema.enum) &&
      new Set(schema.enum.map(value => String(value).toLowerCase())).size < schema.enum.length
    )
      problems.push(`${at} has values that differ only in case`)
    if (typeof schema.default === 'object' && schema.default !== null && typeof schema.type === 'string')
      problems.push(`${at} has a default that is not a single value`)
  })
  t.strictSame(problems, [])
})

t.test('category and plugin select a part of the document [CAT-6]', async t => {
  const server = await serve(t)
  const read = async (query: string, file = 'openapi.json') => fetch(`${server.url}/${file}?${query}`)
  const whole = (await (await read('')).json()) as Document
  const pathsOf = async (query: string) => Object.keys(((await (await read(query)).json()) as Document).paths)
  t.ok((await pathsOf('plugin=info')).includes('/uuid'))
  t.notOk((await pathsOf('plugin=info')).includes('/echo'))
  t.strictSame(
    (await pathsOf('category=SOAP%20%2F%20XML')).every(path => path.startsWith('/soap')),
    true,
  )
  t.strictSame(await pathsOf('plugin=info&category=Docs'), [])
  t.strictSame(
    new Set([...(await pathsOf('plugin=info&plugin=echo')), ...(await pathsOf('plugin=info'))]).size,
    (await pathsOf('plugin=echo&plugin=info')).length,
  )
  t.ok((await pathsOf('')).length === Object.keys(whole.paths).length)
  t.match(await (await read('plugin=info', 'openapi.yaml')).text(), /\/uuid:/)
  for (const [query, error] of [
    ['plugin=nope', 'unknown plugin'],
    ['plugin=', 'unknown plugin'],
    ['category=nope', 'unknown category'],
  ] as const) {
    const reply = await read(query)
    t.equal(reply.status, 400)
    t.match(await reply.json(), { error })
  }
})

/** A 2xx with a schema, or without content: 204, 205, a redirect, another protocol. */
function saysWhatItHolds({ responses }: Document['paths'][string][string]): boolean {
  return Object.entries(responses).some(
    ([status, { content }]) =>
      /^(?:20[45]|3..|101)$/.test(status) ||
      (status.startsWith('2') &&
        Object.values(content ?? {}).some(({ schema }) => Object.keys(schema ?? {}).length > 0)),
  )
}

/** Calls `visit` for every object in the schemas of the document. */
function walkSchemas(value: unknown, visit: (schema: Record<string, unknown>, at: string) => void, at = ''): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) visit(value as Record<string, unknown>, at)
  for (const [key, inner] of Object.entries(value))
    if (!['example', 'examples', 'default', 'const'].includes(key)) walkSchemas(inner, visit, `${at}/${key}`)
}
