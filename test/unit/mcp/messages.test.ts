/** Messages, URI templates, schemas, lists and cursors, without a server. */
import t from 'tap'
import { parseBody, readId, readMessage } from '../../../plugins/mcp/protocol/json-rpc.ts'
import { registerConformance } from '../../../plugins/mcp/conformance/register.ts'
import { registerDemo } from '../../../plugins/mcp/demo/register.ts'
import { CODES, RpcError } from '../../../plugins/mcp/errors.ts'
import { Registry } from '../../../plugins/mcp/registry/registry.ts'
import { compileInput, routedArguments, withoutRouting } from '../../../plugins/mcp/registry/schema.ts'
import { select } from '../../../plugins/mcp/registry/selection.ts'
import { Server } from '../../../plugins/mcp/servers/server.ts'
import type { ToolDefinition } from '../../../plugins/mcp/types.ts'
import { parseTemplate } from '../../../plugins/mcp/registry/uri-template.ts'
import { STATELESS, VERSIONS } from '../../../plugins/mcp/protocol/versions.ts'
import { readAccept } from '../../../plugins/mcp/http/media-types.ts'

// Starting and stopping dozens of servers takes long on a busy machine.
t.setTimeout(600_000)

const services = { updated() {}, count: () => Promise.resolve(1) }

function refusalOf(run: () => unknown): { code: number; status: number | undefined } | null {
  try {
    run()
    return null
  } catch (error) {
    if (error instanceof RpcError) return { code: error.code, status: error.status }
    throw error
  }
}

t.test('bodies that are not JSON, or are nested too deeply, are rejected with 400 [MCP-1]', async t => {
  t.strictSame(parseBody(Buffer.from('{"a":[1,"[[["]}')), { a: [1, '[[['] })
  for (const text of ['', '{"broken', 'undefined', '{"a":1,}'])
    t.strictSame(
      refusalOf(() => parseBody(Buffer.from(text))),
      { code: -32700, status: 400 },
      text,
    )
  t.strictSame(
    refusalOf(() => parseBody(Buffer.from('['.repeat(200_000)))),
    { code: -32600, status: 400 },
    'deep',
  )
  t.equal(
    refusalOf(() => parseBody(Buffer.from(`${'['.repeat(100)}${']'.repeat(100)}`))),
    null,
    'a hundred levels pass',
  )
  t.equal(
    refusalOf(() => parseBody(Buffer.from(JSON.stringify({ text: '[{"\\'.repeat(500) })))),
    null,
    'brackets in strings do not count',
  )
})

t.test('requests, notifications and responses are distinguished, anything else is -32600 [MCP-1]', async t => {
  t.strictSame(readMessage({ jsonrpc: '2.0', id: 1, method: 'ping' }), {
    kind: 'request',
    id: 1,
    method: 'ping',
    params: {},
  })
  t.equal(readMessage({ jsonrpc: '2.0', method: 'x' }).kind, 'notification')
  t.equal(readMessage({ jsonrpc: '2.0', id: 'a', result: {} }).kind, 'response')
  t.equal(readMessage({ jsonrpc: '2.0', id: 'a', error: {} }).kind, 'response')
  const bad: unknown[] = [
    7,
    'text',
    null,
    [],
    {},
    { jsonrpc: '1.0', id: 1, method: 'x' },
    { jsonrpc: '2.0', id: null, method: 'x' },
    { jsonrpc: '2.0', id: 1.5, method: 'x' },
    { jsonrpc: '2.0', id: {}, method: 'x' },
    { jsonrpc: '2.0', id: 1, method: 7 },
    { jsonrpc: '2.0', id: 1, method: 'x', params: [] },
    { jsonrpc: '2.0', id: 1 },
    { jsonrpc: '2.0', id: 1, result: {}, error: {} },
    { jsonrpc: '2.0', result: {} },
  ]
  for (const value of bad)
    t.strictSame(
      refusalOf(() => readMessage(value)),
      { code: CODES.invalidRequest, status: 400 },
      JSON.stringify(value),
    )
  t.strictSame([readId({ id: 'a' }), readId({ id: 0 }), readId({ id: null }), readId([])], ['a', 0, null, null])
})

t.test('Accept names JSON, event streams, or both [MCP-2]', async t => {
  const table: [string | undefined, boolean, boolean][] = [
    [undefined, true, true],
    ['', true, true],
    ['*/*', true, true],
    ['application/json', true, false],
    ['application/*;q=0.5', true, false],
    ['text/event-stream', false, true],
    ['text/*', false, true],
    ['Application/JSON, TEXT/event-stream; q=0', true, true],
    ['text/html', false, false],
    [';;;q=x', false, false],
  ]
  for (const [header, json, sse] of table) t.strictSame(readAccept(header), { json, sse }, String(header))
})

t.test('a URI template matches and decodes one segment per variable [MCP-22]', async t => {
  const template = parseTemplate('svc://weather/{city}')
  t.strictSame({ ...template.match('svc://weather/S%C3%A3o%20Paulo') }, { city: 'São Paulo' })
  for (const uri of [
    'svc://weather/',
    'svc://weather/a/b',
    'svc://weather/a%2Fb',
    'svc://weather/a%2',
    'svc://weather/%FF',
    `svc://weather/${'x'.repeat(101)}`,
    'svc://other/a',
    '',
  ])
    t.equal(template.match(uri), null, uri)
  t.strictSame({ ...parseTemplate('test://template/{id}/data').match('test://template/7/data') }, { id: '7' })
  t.equal(parseTemplate('test://template/{id}/data').match('test://template/7/data/more'), null)
  for (const wrong of ['no-variable', '{a}{b}', 'x/{a', 'x/{}', 'x/{a}/{a}', 'x/{a b}'])
    t.throws(() => parseTemplate(wrong), /invalid URI template/, wrong)
})

t.test('arguments get defaults, and a violation names argument and problem [MCP-19]', async t => {
  const validate = compileInput({
    type: 'object',
    properties: {
      a: { type: 'number' },
      b: { type: 'string', enum: ['x', 'y'], default: 'x' },
      c: { type: 'object', properties: { d: { type: 'integer' } } },
    },
    required: ['a'],
    additionalProperties: false,
  })
  const args = { a: 1 }
  t.equal(validate(args), null)
  t.strictSame(args, { a: 1, b: 'x' })
  const table: [object, string][] = [
    [{}, 'missing argument "a"'],
    [{ a: 'x' }, 'argument "a" must be number'],
    [{ a: 1, z: 1 }, 'unknown argument "z"'],
    [{ a: 1, b: 'q' }, 'argument "b" must be one of x, y'],
    [{ a: 1, c: { d: 'x' } }, 'argument "c.d" must be integer'],
    [JSON.parse('{"a":1,"__proto__":{"b":"y"}}') as object, 'unknown argument "__proto__"'],
  ]
  for (const [wrong, problem] of table) t.equal(validate({ ...wrong }), problem)
  t.throws(() => compileInput({ type: 'array' }), /"type": "object"/)
  t.throws(() => compileInput({ type: 'object', properties: { a: { type: 'nothing' } } }))
})

t.test('x-mcp-header must be a unique token on a string, integer or boolean [MCP-27]', async t => {
  const routed = (properties: object) => routedArguments({ type: 'object', properties })
  t.strictSame(
    [...routed({ city: { type: 'string', 'x-mcp-header': 'City' } })],
    [['mcp-param-city', { argument: 'city', header: 'Mcp-Param-City' }]],
  )
  t.throws(() => routed({ a: { type: 'number', 'x-mcp-header': 'A' } }), /string, integer or boolean/)
  t.throws(() => routed({ a: { type: 'string', 'x-mcp-header': 'no token' } }), /RFC 9110/)
  t.throws(
    () => routed({ a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } }),
    /used twice/,
  )
  t.strictSame(withoutRouting({ type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'A' } } }), {
    type: 'object',
    properties: { a: { type: 'string' } },
  })
})

const noTool = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  inputSchema: { type: 'object' },
  call: () => ({ content: [] }),
  ...more,
})

t.test('a server lists its selection, entries that name it, and with * all except fixtures [MCP-25]', async t => {
  const registry = new Registry()
  const registrar = registry.registrar('test', services)
  for (const tool of [
    noTool('everywhere'),
    noTool('special', { servers: ['shop'] }),
    noTool('fixture', { servers: ['lab'], fixture: true }),
  ])
    registrar.tool(tool)
  const problems: string[] = []
  const toolsOf = (name: string, tools?: unknown[]) => [
    ...select(
      registry,
      { name, tools },
      (at, message, remedy) => void problems.push(`${at}: ${message}; ${remedy}`),
    ).tools.keys(),
  ]
  t.strictSame(toolsOf('default'), ['everywhere'])
  t.strictSame(toolsOf('shop'), ['special'])
  t.strictSame(toolsOf('shop', ['everywhere']), ['everywhere', 'special'], 'in order of registration')
  t.strictSame(toolsOf('other', ['*']), ['everywhere', 'special'])
  t.strictSame(toolsOf('lab'), ['fixture'])
  t.strictSame(toolsOf('other'), [])
  t.strictSame(toolsOf('other', ['everywhere', 'nothing', { name: 'declared' }]), ['everywhere'])
  t.strictSame(problems, ['tools[1]: unknown tool "nothing"; remove it, or write one of everywhere, special'])
})

t.test('names are unique, and the error names both plugins [MCP-26]', async t => {
  const registry = new Registry()
  registry.registrar('first', services).tool(noTool('echo'))
  const second = registry.registrar('second', services)
  t.throws(() => second.tool(noTool('echo')), {
    message: 'MCP tool "echo" of plugin second is already registered by plugin first',
  })
  t.throws(() => second.tool(noTool('no spaces')), /invalid MCP tool name/)
  t.throws(() => second.tool(noTool('bad', { inputSchema: { type: 'string' } })), /MCP tool "bad"/)
  t.throws(() => second.server({ name: 'Upper', title: 'x' }), /invalid MCP server name/)
  registry.close()
  t.throws(() => second.tool(noTool('late')), /was registered too late/)
})

t.test('cursors are opaque, belong to one list, and end [MCP-18]', async t => {
  const registry = new Registry()
  const registrar = registry.registrar('test', services)
  for (let index = 0; index < 5; index++) registrar.tool(noTool(`t${index}`))
  registrar.prompt({ name: 'p', get: () => ({ messages: [] }) })
  const definition = { name: 'default', title: 'x' }
  const { lists } = new Server(
    definition,
    select(registry, definition, () => {}),
    '1',
  )
  const names: string[] = []
  let cursor: string | undefined
  do {
    const page = JSON.parse(lists.page('tools', STATELESS, cursor, 2)) as {
      tools: { name: string }[]
      nextCursor?: string
    }
    names.push(...page.tools.map(tool => tool.name))
    cursor = page.nextCursor
  } while (cursor)
  t.strictSame(names, ['t0', 't1', 't2', 't3', 't4'])
  const { nextCursor } = JSON.parse(lists.page('tools', STATELESS, null, 2)) as { nextCursor: string }
  t.strictSame(
    refusalOf(() => lists.page('prompts', STATELESS, nextCursor, 2)),
    { code: -32602, status: undefined },
    'another list',
  )
  for (const wrong of [
    'garbage',
    7,
    {},
    '',
    `${nextCursor}=`,
    Buffer.from('tools:5').toString('base64url'),
    Buffer.from('tools:-1').toString('base64url'),
    'x'.repeat(10_000),
  ]) {
    t.strictSame(
      refusalOf(() => lists.page('tools', STATELESS, wrong, 2)),
      { code: -32602, status: undefined },
      String(wrong).slice(0, 20),
    )
  }
})

t.test('each protocol revision gets the members that it defines [MCP-17]', async t => {
  const registry = new Registry()
  const schema = { type: 'object', properties: { city: { type: 'string', 'x-mcp-header': 'City' } } }
  registry.registrar('test', services).tool(
    noTool('w', {
      title: 'W',
      description: 'd',
      inputSchema: schema,
      outputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
    }),
  )
  const definition = { name: 'default', title: 'x' }
  const { lists } = new Server(
    definition,
    select(registry, definition, () => {}),
    '1',
  )
  const shown = Object.fromEntries(
    VERSIONS.map(version => {
      const {
        tools: [tool],
      } = JSON.parse(lists.page('tools', version, undefined, 100)) as { tools: Record<string, unknown>[] }
      return [
        version.name,
        [...Object.keys(tool ?? {}), ...(JSON.stringify(tool).includes('x-mcp-header') ? ['routing'] : [])],
      ]
    }),
  )
  t.strictSame(shown, {
    '2026-07-28': ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations', 'routing'],
    '2025-11-25': ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'],
    '2025-06-18': ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'],
    '2025-03-26': ['name', 'description', 'inputSchema', 'annotations'],
    '2024-11-05': ['name', 'description', 'inputSchema'],
  })
})

t.test('the input schemas of the built-in tools, which are not checked at start, are valid', t => {
  const registry = new Registry()
  const registrar = registry.registrar('strange', services)
  t.doesNotThrow(() => {
    registerDemo(registrar, { users: [], products: [], orders: [], reviews: [] }, {} as never)
    registerConformance(registrar)
  })
  t.ok(registry.tools.size >= 10, `${registry.tools.size} tools`)
  t.end()
})
