/** The clients for tests and the server agree: `clients/contract.json` has what both of them have. */
import t from 'tap'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { variables } from '../../../core/config/variables.ts'
import type { JsonSchema } from '../../../core/contract/plugin.ts'
import type { OpenapiDocument } from '../../../core/control/openapi.ts'
import { PUBLISHED_NAME } from '../../../packing/published.ts'
import { clientContract } from '../../support/client-contract.ts'
import { startProcess } from '../../support/process.ts'
import { serve } from '../../support/server.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const { operations, ready, ...contract } = clientContract()

/** The sources of each client, without its tests. */
const CLIENTS: Record<string, string[]> = {
  Node: ['core/testing/client.mjs'],
  ...Object.fromEntries(
    Object.entries({
      Python: ['clients/python/src/svc_testing', /\.py$/],
      Java: ['clients/java/src/main/java/io/svc/testing', /\.java$/],
      Go: ['clients/go/svctest', /(?<!_test)\.go$/],
    } as const)
      .filter(([, [folder]]) => existsSync(join(ROOT, folder)))
      .map(([language, [folder, files]]) => [
        language,
        readdirSync(join(ROOT, folder))
          .filter(name => files.test(name))
          .map(name => `${folder}/${name}`),
      ]),
  ),
}
const textOf = (files: readonly string[]): string =>
  files.map(file => readFileSync(join(ROOT, file), 'utf8')).join('\n')

/** The routes in a text, such as `/_svc/rules`, without the parameters behind them. */
function routesIn(text: string): string[] {
  return [...new Set([...text.matchAll(/\/_svc(?:\/[a-z]+)+/g)].map(([route]) => route))].sort()
}

t.test('the control plane document of a running svc has each operation of the contract [CLIENTS-1]', async t => {
  const server = await serve(t)
  const document = (await (await fetch(`${server.url}/_svc/openapi.json`)).json()) as OpenapiDocument
  const resolve = (schema: JsonSchema | undefined): JsonSchema => {
    const reference = schema?.$ref as string | undefined
    return reference === undefined ? (schema ?? {}) : document.components.schemas[reference.split('/').at(-1)!]!
  }
  /** Members of all alternatives of a schema. */
  const membersOf = (schema: JsonSchema | undefined): string[] => {
    const { properties = {}, oneOf = [], anyOf = [], allOf = [] } = resolve(schema) as Record<string, never>
    return [...Object.keys(properties), ...[...(oneOf as []), ...(anyOf as []), ...(allOf as [])].flatMap(membersOf)]
  }
  for (const { name, method, path, scope, query, body = [], reads, errors } of operations) {
    const operation = document.paths[path]?.[method.toLowerCase() as 'get']
    if (operation === undefined) {
      t.fail(`${name}: the document has no ${method} ${path}`)
      continue
    }
    const parameters = (operation.parameters ?? []).map(parameter => parameter.name)
    for (const parameter of [...query, ...(scope ? ['scope'] : [])])
      t.ok(parameters.includes(parameter), `${name}: the parameter ${parameter}`)
    const [success] = Object.entries(operation.responses).find(([status]) => status.startsWith('2')) ?? []
    const answers = operation.responses[success!]?.content?.['application/json']?.schema
    const members = membersOf(answers as JsonSchema)
    for (const member of reads) t.ok(members.includes(member), `${name}: ${member} of the answer`)
    const request = operation.requestBody?.content['application/json']?.schema
    for (const member of body) t.ok(membersOf(request as JsonSchema).includes(member), `${name}: ${member} of the body`)
    for (const status of errors) t.ok(operation.responses[status] !== undefined, `${name}: the status ${status}`)
  }
  t.ok(document.paths[ready.path]?.get, 'readiness')
})

t.test('each client uses the routes of the contract, and no others [CLIENTS-1]', async t => {
  const wanted = [...new Set(operations.map(({ path }) => path.replace('/{name}', '')))].sort()
  for (const [language, files] of Object.entries(CLIENTS)) {
    t.ok(files.length > 0, `${language} has sources`)
    const text = textOf(files)
    t.strictSame(
      routesIn(text).filter(route => route !== ready.path),
      wanted,
      language,
    )
    t.match(text, contract.token_header, `${language}: the header of the token`)
    t.match(text, contract.session_header, `${language}: the header of the session`)
    t.match(text, contract.session_prefix.replace('{session}', ''), `${language}: the prefix of the session`)
    if (language === 'Node') continue
    for (const name of contract.variables) t.match(text, name, `${language}: ${name}`)
    t.match(text, ready.path, `${language}: readiness`)
    t.match(text, PUBLISHED_NAME, `${language}: the package`)
  }
})

t.test('a process has what clients that start one rely on [CLIENTS-2]', async t => {
  const known = new Set(variables.map(({ name }) => name))
  for (const name of contract.variables) t.ok(known.has(name), name)
  const { output, port } = startProcess(t, { env: { SVC_LOG_LEVEL: 'warn' } })
  const found = await port('HTTP')
  t.match(output(), `${contract.listening}127.0.0.1:${found}`)
  const url = `http://127.0.0.1:${found}${ready.path}`
  t.equal((await fetch(url)).status, ready.status)
})
