/** References in templates. */
import t from 'tap'
import { OutputBudget } from '../../../core/contract/budgets.ts'
import { parseExactJson, writeJson } from '../../../core/toolkit/exact-json.ts'
import { readOrProblem } from '../../../core/toolkit/input-problem.ts'
import type { Json } from '../../../core/contract/json.ts'
import { checkReferences, expandedBytes, expandText, expandValue } from '../../../core/toolkit/references.ts'
import { createLookUp, RULE_REFERENCES } from '../../../core/toolkit/request-references.ts'

const body = '{"id": 12345678901234567890, "list": [-9007199254740993, 9007199254740992, 5], "name": "Ada"}'
let drawn = 0
const lookUp = createLookUp(
  {
    request: {
      method: 'POST',
      path: '/orders/a b',
      url: '/orders/a%20b?tag=x&tag=y&a.b=z',
      segments: ['orders', 'a b'],
      host: 'api.example',
      scheme: 'https',
      clientIp: '10.0.0.1',
      captures: () => new Map([['id', 'a b']]),
      queryValues: name => new URLSearchParams('tag=x&tag=y&a.b=z').getAll(name),
      header: name => (name === 'x-tenant' ? 'acme' : undefined),
      cookie: name => (name === 'theme' ? 'dark' : undefined),
      json: () => parseExactJson(body),
      text: () => body,
    },
    session: 't-1',
    count: 3,
    now: () => new Date(1_700_000_000_123),
    uuid: () => 'uuid-1',
    draw: () => (drawn = (drawn + 0.37) % 1),
  },
  (word, names) => (word === 'state' ? names.join('.') : undefined),
)
const text = (template: string): string => expandText(template, lookUp, new OutputBudget(100_000))
const value = (template: Json): string => writeJson(expandValue(template, lookUp, new OutputBudget(100_000)))

t.test('references are replaced by data of the request [MATCH-12]', async t => {
  const rows: [template: string, expected: string][] = [
    ['{{request.method}} {{ request.path }}', 'POST /orders/a b'],
    ['{{request.path.id}}|{{request.segments.0}}|{{request.segments.7}}', 'a b|orders|'],
    ['{{request.url}}', '/orders/a%20b?tag=x&tag=y&a.b=z'],
    ['{{request.query.tag}}{{request.query.tag.1}}{{request.query.a.b}}{{request.query.tag.2}}', 'xyz'],
    ['{{request.header.X-Tenant}} {{request.cookie.theme}}', 'acme dark'],
    ['{{request.host}} {{request.scheme}} {{request.client_ip}}', 'api.example https 10.0.0.1'],
    ['{{request.body.name}} {{request.body.list.2}} {{request.body.nothing}}', 'Ada 5 '],
    ['{{request.body.id}} {{request.body.list}}', '12345678901234567890 [-9007199254740993,9007199254740992,5]'],
    ['{{session}} {{count}} {{uuid}} {{state.a.b}}', 't-1 3 uuid-1 a.b'],
    ['{{now}} {{now.epoch}} {{now.epoch_ms}}', '2023-11-14T22:13:20.123Z 1700000000 1700000000123'],
    ['Hello {{request.query.name|World}}{{request.query.tag|no}}{{request.query.no|}}', 'Hello Worldx'],
    ['{{}} {{ }} {x} {{request.body.{a}}}', '{{}} {{ }} {x} {{request.body.{a}}}'],
  ]
  for (const [template, expected] of rows) t.equal(text(template), expected, template)
  t.match(text('{{random.hex.12}}'), /^[0-9a-f]{12}$/)
  for (let index = 0; index < 20; index++) t.match(text('{{random.int.-1.2}}'), /^(?:-1|0|1|2)$/)
})

t.test('a text that is a reference alone keeps the type of JSON [MATCH-13]', async t => {
  t.equal(value('{{count}}'), '3')
  t.equal(value(['{{request.query.none}}', '{{request.query.none|x}}']), '[null,"x"]')
  t.equal(value({ id: '{{request.body.id}}' }), '{"id":12345678901234567890}')
  t.equal(value({ all: '{{request.body}}' }), `{"all":${body.replaceAll(': ', ':').replaceAll(', ', ',')}}`)
  const own = '{"a":"svc-number 0","b":12345678901234567891}'
  t.equal(writeJson(parseExactJson(own)), own, 'strings that look like the marks of numbers are kept')
  t.equal(
    writeJson(parseExactJson('{"a":"12345678901234567891","b":1e30,"c":1234567890123456.5}')),
    '{"a":"12345678901234567891","b":1e+30,"c":1234567890123456.5}',
  )
  t.equal(JSON.stringify(parseExactJson('[12345678901234567891]')), '[12345678901234567000]')
  t.equal(expandedBytes(['{{count}}', 'a{{request.body.name}}'], lookUp), 1 + 1 + 5)
})

t.test('unknown references are errors with a suggestion [MATCH-14]', async t => {
  const words = { ...RULE_REFERENCES, state: 'names' as const }
  const problem = (template: Json): unknown => readOrProblem(() => checkReferences(template, words, 'body'))
  for (const template of ['{{request.body}}', '{{request.body.a.0}}', '{{ now.epoch }}', '{{state.x}}', '{{}}', '{{a'])
    t.notMatch(problem(template), { problem: {} }, template)
  const rows: [template: Json, at: string, details: RegExp][] = [
    ['{{reqest.method}}', 'body', /unknown reference "reqest" \(did you mean "request"\?\)/],
    [{ a: ['x', '{{request.bdy}}'] }, 'body.a[1]', /"request.bdy" \(did you mean "request.body"\?\)/],
    ['{{request}}', 'body', /more after request/],
    ['{{request.method.x}}', 'body', /nothing after request.method/],
    ['{{request.header}}', 'body', /a name after request.header/],
    ['{{state}}', 'body', /a name after state/],
    ['{{random.int.5}}', 'body', /two whole numbers/],
    ['{{random.int.5.1}}', 'body', /two whole numbers/],
    ['{{random.hex.2000}}', 'body', /1 to 1024/],
    ['{{toString}}', 'body', /unknown reference/],
    ['{{user name|x}}', 'body', /unknown reference/],
  ]
  for (const [template, at, details] of rows)
    t.match(problem(template), { problem: { at, details } }, JSON.stringify(template))
  t.match(problem('{{x}}'), { problem: { remedy: /template: false/ } })
})
