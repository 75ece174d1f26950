/** `security` in the OpenAPI document of a running instance. */
import t from 'tap'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OpenapiDocument } from '../../../core/control/openapi.ts'
import { serve } from '../../support/server.ts'

/** These answer 401 to a form or a signed body, which OpenAPI does not call security. */
const WITHOUT_SECURITY = /^\/oauth\/(?:i\/\{issuer\}\/)?(?:authorize|device)$|^\/webhooks\//

const folder = mkdtempSync(join(tmpdir(), 'svc-security-'))
t.teardown(() => rmSync(folder, { recursive: true }))
const parrot = join(folder, 'llm-parrot')
cpSync(join(import.meta.dirname, '../../fixtures/plugins/llm-parrot'), parrot, { recursive: true })
const source = readFileSync(join(parrot, 'index.ts'), 'utf8')
const own = `[
  { source: 'bearer', header: 'authorization', scheme: 'Bearer' },
  { source: 'token', header: 'Authorization', scheme: 'Token' },
  { source: 'raw', header: 'authorization' },
]`
writeFileSync(join(parrot, 'index.ts'), source.replace(`[{ source: 'feather', header: 'x-feather' }]`, own))
const server = await serve(t, { yaml: '', env: { SVC_PLUGINS_DIR: folder } })
const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenapiDocument
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, name: `${method} ${path}`, operation: operation! })),
)
const securityOf = (name: string): unknown => operations.find(found => found.name === name)?.operation.security

t.test('each operation that answers 401 says which credentials it takes [CTL-10]', async t => {
  t.same(
    operations
      .filter(({ path, operation }) => '401' in operation.responses && !WITHOUT_SECURITY.test(path))
      .filter(({ operation }) => operation.security === undefined)
      .map(({ name }) => name),
    [],
  )
  const expected: [name: string, security: object[]][] = [
    ['get /oauth/userinfo', [{ bearer: [] }, { 'http.DPoP': [] }]],
    ['post /mcp/protected', [{ bearer: [] }]],
    ['get /mcp/apikey', [{ apiKey: [] }]],
    ['post /mcp/servers/{name}', [{}, { bearer: [] }, { apiKey: [] }]],
    ['get /auth/api-key', [{ 'header.apikey': [] }]],
    ['get /auth/hmac', [{ 'http.hmac': [] }, { 'http.Signature': [] }]],
    ['get /auth/mtls', [{ mutualTls: [] }]],
  ]
  for (const [name, security] of expected) t.same(securityOf(name), security, name)
  t.match(document.components.securitySchemes, {
    'http.hmac': { type: 'http', scheme: 'hmac' },
    'header.apikey': { type: 'apiKey', in: 'header', name: 'apikey' },
    mutualTls: { type: 'mutualTLS' },
  })
})

t.test('schemes of Authorization are not API keys, however the header is spelled [CTL-10]', async t => {
  const parroted = operations.filter(({ path }) => path.startsWith('/ai/parrot'))
  t.ok(parroted.length > 0)
  for (const { name, operation } of parroted.filter(({ operation }) => operation.security))
    t.same(operation.security, [{}, { bearer: [] }, { 'http.Token': [] }, { 'header.authorization': [] }], name)
  t.match(document.components.securitySchemes, {
    'http.Token': { type: 'http', scheme: 'Token' },
    'header.authorization': { type: 'apiKey', in: 'header', name: 'authorization' },
  })
})
