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
  const checker = new SchemaChecker()
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
