/**
 * Schemas as large as GitHub's, and operations that nobody wrote for the mock. With `SVC_TEST_JUDGES`, the folder of a
 * `node_modules` with `@octokit/graphql-schema`, GitHub's own schema too.
 */
import t from 'tap'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  buildSchema,
  execute,
  getNamedType,
  introspectionFromSchema,
  isAbstractType,
  parse,
  validate,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql'
import { largeSchema, randomOperation } from '../../support/large-schema.ts'
import { randomNumbers } from '../../support/random-numbers.ts'
import { slowness } from '../../support/reference-loop.ts'
import { mockServer } from './client.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

const OPERATIONS = 60
const judges = process.env.SVC_TEST_JUDGES
const github = join(judges ?? '/none', 'node_modules', '@octokit', 'graphql-schema', 'schema.graphql')

const SCHEMAS: Record<string, string> = {
  generated: largeSchema(420),
  ...(existsSync(github) ? { github: readFileSync(github, 'utf8') } : {}),
}

t.test('the result of an introspection query is longer than the schema, whose size counts', async t => {
  const server = await mockServer(t)
  const json = JSON.stringify(introspectionFromSchema(buildSchema(SCHEMAS.generated!)), null, 2)
  t.ok(json.length > 4 << 20, `${json.length} characters`)
  const put = (body: string): ReturnType<typeof server.call> =>
    server.call('/_svc/mocks/introspected', {
      method: 'PUT',
      body,
      headers: { 'content-type': 'application/json' },
    })
  t.match(await put(json), { status: 201, json: { kind: 'graphql', report: { deployable: true } } })
  const long = `type Query { a: Int }\n${'# comment\n'.repeat(430_000)}`
  const refused = await server.call('/_svc/mocks/long', {
    method: 'PUT',
    body: long,
    headers: { 'content-type': 'application/graphql' },
  })
  t.match(refused, { status: 422, json: { report: { errors: [{ code: 'too_large' }] } } })
})

for (const [name, sdl] of Object.entries(SCHEMAS))
  t.test(`${name}: deployed within 5 s of processor time, and it answers valid operations [MOCK-108]`, async t => {
    const server = await mockServer(t)
    t.ok(sdl.length > 1_000_000, `${sdl.length} characters`)
    const slow = slowness()
    const before = process.cpuUsage()
    const deployed = await server.call(`/_svc/mocks/${name}`, {
      method: 'PUT',
      body: sdl,
      headers: { 'content-type': 'application/graphql' },
    })
    const { user, system } = process.cpuUsage(before)
    t.match(deployed, { status: 201, json: { kind: 'graphql', report: { deployable: true } } })
    // The code of the thread is loaded in that time as well.
    t.ok(
      (user + system) / 1e6 / slow < 5,
      `${(user + system) / 1e6} s of processor time, ${slow} times as long as usual`,
    )

    const schema = buildSchema(sdl, { assumeValidSDL: true })
    const random = randomNumbers(50)
    let answered = 0
    for (let number = 0; number < OPERATIONS; number++) {
      const query = randomOperation(schema, random, 60)
      const document = parse(query)
      t.strictSame(validate(schema, document), [], query)
      const { status, json } = await server.call(`/mock/${name}`, { method: 'POST', body: { query } })
      const { data, errors } = json as unknown as ExecutionResult
      if (errors !== undefined) {
        // Lists within lists can exceed the bound of an answer.
        t.match(errors, [{ extensions: { code: /^(?:RESPONSE_TOO_LARGE|COMPLEXITY_LIMIT_EXCEEDED)$/ } }], query)
        continue
      }
      answered++
      t.equal(status, 200)
      t.strictSame(acceptedBy(schema, query, data), { data }, query)
    }
    t.ok(answered > OPERATIONS / 2, `${answered} of ${OPERATIONS} were answered`)
  })

/** The answer of graphql-js, with `data` as what resolvers return: equal if every value is one that its type allows. */
function acceptedBy(schema: GraphQLSchema, query: string, data: unknown): unknown {
  const result = execute({
    schema,
    document: parse(query),
    rootValue: data,
    fieldResolver: (source: Record<string, unknown>, _args, _context, { path, returnType, schema: of }) => {
      const value = source[path.key]
      // An abstract type without a fragment has its `__typename` alone.
      return isAbstractType(getNamedType(returnType)) && value === undefined ? of : value
    },
  })
  return JSON.parse(JSON.stringify(result))
}
