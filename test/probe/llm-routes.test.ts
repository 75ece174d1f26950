/** The keys of the routes file that say where a gateway of models has its wires. */
import t from 'tap'
import { readAddress, type Address } from '../../plugins/probe/client/address.ts'
import { directEnd, routeOf } from '../../plugins/probe/client/group-routes.ts'
import { NO_ROUTES, readRoutes, secretsOfRoutes, type Routes } from '../../plugins/probe/client/routes.ts'

const environment = { PORTKEY_KEY: 'portkey-secret-value' }
const read = (value: unknown): Routes | string => readRoutes(value, { environment })
const routes = (value: unknown): Routes => {
  const found = read(value)
  if (typeof found === 'string') throw new Error(found)
  return found
}

t.test('a preset sets the keys of its row, and the file wins', t => {
  const { llm, paths } = routes({ llm: { preset: 'litellm', openai: '/mine/v1' } })
  t.equal(llm.marks, 'cache_control')
  t.strictSame(Object.fromEntries(Object.entries(llm.bases).map(([wire, { path }]) => [wire, path])), {
    chat: '/mine/v1',
    responses: '/mine/v1',
    messages: '',
    gemini: '',
  })
  t.equal(paths.llm!.path, '/mine/v1')
  t.equal(paths['wire.messages']!.path, '')
  t.equal(routes({ llm: { preset: 'litellm', marks: 'none' } }).llm.marks, 'none')
  t.strictSame(routes({ llm: { preset: 'kong' } }).llm.bases, {})
  t.strictSame(routes({}).llm, NO_ROUTES.llm)
  t.end()
})

t.test('models, headers and the rest are read', t => {
  const found = routes({
    llm: {
      models: ['gpt', { model: 'claude', wires: ['messages'], headers: { 'x-portkey-provider': 'anthropic' } }],
      headers: { 'x-portkey-api-key': '${PORTKEY_KEY}' },
      wires: ['chat', 'messages'],
      fallback: 'shaky',
      tenants: ['key-of-one', 'key-of-two'],
      cost: { header: 'x-cost', prices: { gpt: { input: 1, output: 2, cached: 0 } } },
      spend: { url: '/spend/{id}', id: 'x-id', value: '/0/spend' },
      cache: 'cache {q} please',
      embeddings: ['embed'],
    },
    realtime: '/rt',
    guardrails: { value: 'stop this', ask: 'guard: ' },
    mcp: { path: '/tools', hidden: ['drop_table'] },
  })
  t.equal(found.model, 'gpt')
  t.strictSame(found.llm.models![1], {
    name: 'claude',
    wires: ['messages'],
    headers: [['x-portkey-provider', 'anthropic']],
  })
  t.strictSame(found.llm.headers, [['x-portkey-api-key', 'portkey-secret-value']])
  t.strictSame(found.llm.spend, { url: '/spend/{id}', id: 'x-id', value: '/0/spend', waitS: 2 })
  t.strictSame(found.hiddenTools, ['drop_table'])
  t.strictSame(secretsOfRoutes(found).toSorted(), ['key-of-one', 'key-of-two', 'portkey-secret-value'])
  t.equal(found.paths.realtime!.path, '/rt')
  t.equal(found.guardrails.value, 'stop this')
  t.equal(NO_ROUTES.guardrails.value, '078-05-1120')
  t.end()
})

t.test('what is wrong is named with its place, and the nearest word', t => {
  const cases: [unknown, RegExp][] = [
    [{ llm: { preset: 'litelm' } }, /unknown preset "litelm" \(did you mean litellm\?\)/],
    [{ llm: { modles: [] } }, /unknown key "llm\.modles" \(did you mean models\?\)/],
    [{ llm: { wires: ['mesages'] } }, /llm\.wires: unknown wire "mesages" \(did you mean messages\?\)/],
    [{ llm: { models: [] } }, /llm\.models must be a list of 1 to 40/],
    [{ llm: { models: ['x'.repeat(201)] } }, /llm\.models\[0\] must be the name of a model/],
    [{ llm: { models: [{ model: 'a', wire: [] }] } }, /unknown key "llm\.models\[0\]\.wire" \(did you mean wires\?\)/],
    [{ llm: { marks: 'cache' } }, /llm\.marks must be one of/],
    [{ llm: { headers: { Host: 'x' } } }, /llm\.headers\.Host: the Host field is given as --host/],
    [{ llm: { headers: { a: 'b\r\nc: d' } } }, /llm\.headers\.a: the value has control characters/],
    [{ llm: { headers: { a: '${NOT_SET}' } } }, /the variable NOT_SET is not set/],
    [{ llm: { tenants: ['one'] } }, /two or more credentials/],
    [{ llm: { tenants: ['one', 'one'] } }, /different credentials/],
    [{ llm: { cost: { header: 'x', prices: { input: -1, output: 2 } } } }, /llm\.cost\.prices\.input must be a number/],
    [{ llm: { cost: { header: 'x', prices: { input: 1, output: '2' } } } }, /llm\.cost\.prices\.output/],
    [{ llm: { spend: { url: '/s/{id}', id: 'x', value: 'spend' } } }, /llm\.spend\.value must be a JSON pointer/],
    [{ llm: { spend: { url: '/s/{id}', id: 'x', value: '/s', wait_s: 61 } } }, /llm\.spend\.wait_s must be a number/],
    [{ llm: { cache: 'no question' } }, /llm\.cache must be a text with \{q\}/],
    [{ guardrails: { vlaue: 'x' } }, /unknown key "guardrails\.vlaue" \(did you mean value\?\)/],
    [{ mcp: { hidden: [7] } }, /mcp\.hidden must be a list/],
    [{ realtim: '/x' }, /unknown key "realtim" \(did you mean realtime\?\)/],
  ]
  for (const [value, message] of cases) t.match(read(value), message)
  t.end()
})

t.test('checks of the group llm send the fields of their model, and those for pairs know them already', t => {
  const given = routes({
    llm: {
      openai: '/v1',
      headers: { 'x-all': '1' },
      models: [
        { model: 'gpt', headers: { 'x-provider': 'openai' } },
        { model: 'gem', headers: { 'x-provider': 'google' } },
      ],
    },
  })
  const direct = directEnd(readAddress('http://127.0.0.1:1') as Address)
  const gateway = { ...direct, through: 'gateway' as const, extraFields: [['x-given', '0'] as const] }
  const fields = (group: string, end = gateway, pairs = false): string[] =>
    routeOf({ group, when: { pairs } }, end, given).extraFields.map(([name, value]) => `${name} ${value}`)
  t.strictSame(fields('llm'), ['x-given 0', 'x-all 1', 'x-provider openai'])
  t.strictSame(fields('realtime'), ['x-given 0', 'x-all 1', 'x-provider openai'])
  t.strictSame(fields('llm', gateway, true), ['x-given 0'])
  t.strictSame(fields('headers'), ['x-given 0'])
  t.strictSame(routeOf({ group: 'llm' }, direct, given).extraFields, [])
  t.end()
})
