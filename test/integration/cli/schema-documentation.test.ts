/**
 * The JSON Schema of svc.yaml. Compares `svc.schema.json`; update it with `SVC_WRITE_DOCS=1 npm test -- documentation`.
 */
import t from 'tap'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ErrorObject, ValidateFunction } from 'ajv'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { readSettings } from '../../../plugins/mocks/definition/settings.ts'
import { svc } from '../../support/terminal.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const kept = join(root, 'svc.schema.json')
const { output: text } = await svc(['schema'])
const schema = JSON.parse(text) as { properties: Record<string, object> }
const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true, strictRequired: false })
const validate: ValidateFunction = ajv.compile(schema)

/** Paths of the items that the schema rejects, with the keyword. */
function refused(yaml: string, validator = validate): string[] {
  validator(parse(yaml))
  return (validator.errors ?? []).map(({ instancePath, keyword }: ErrorObject) => `${instancePath} ${keyword}`)
}

t.test('the file in the repository is up to date [SCHEMA-1]', async t => {
  if (process.env.SVC_WRITE_DOCS === '1') writeFileSync(kept, text)
  t.equal(readFileSync(kept, 'utf8'), text)
  for (const section of ['plugins', 'llm', 'mcp', 'mocks']) t.ok(section in schema.properties, section)
})

t.test('the example refers to the schema and is valid [SCHEMA-2]', async t => {
  const example = readFileSync(join(root, 'svc.yaml.example'), 'utf8')
  t.match(example, /^# yaml-language-server: \$schema=\.\/svc\.schema\.json\n/)
  t.strictSame(refused(example), [])
  for (const nothing of ['', '{}', 'plugins:\n', 'mcp:\nmocks:\n'])
    t.strictSame(refused(nothing), [], JSON.stringify(nothing))
})

t.test('mistakes are reported with their path [SCHEMA-2]', async t => {
  for (const [yaml, ...expected] of [
    ['plugins: { disabel: [soap] }', '/plugins additionalProperties'],
    ['plugins: { disable: [sope] }', '/plugins/disable/0 enum'],
    ['plugins: { dirs: ./mine }', '/plugins/dirs type'],
    ['mpc: {}', ' additionalProperties'],
    ['mcp: { servers: [{ name: a, auth: opne }] }', '/mcp/servers/0/auth enum'],
    ['mcp: { servers: [{ title: a }] }', '/mcp/servers/0 required'],
    ['mcp: { servers: [{ name: a, tools: lookup }] }', '/mcp/servers/0/tools type'],
    [
      'llm: { providers: [{ name: a, format: openai, latency: { ttft_ms: -5 } }] }',
      '/llm/providers/0/latency/ttft_ms minimum',
    ],
    ['llm: { providers: [{ name: v1, format: openai }] }', '/llm/providers/0/name not'],
    ['mocks: { name: a }', '/mocks type'],
    ['mocks: [{ name: a, spec: ./a.yaml, settings: { validation: maybe } }]', '/mocks/0/settings/validation enum'],
    ['mocks: [{ name: a, spec: ./a.yaml, setting: {} }]', '/mocks/0 additionalProperties'],
  ] as [string, ...string[]][])
    t.strictSame(refused(yaml), expected, yaml)
})

t.test('the editor schema of mocks accepts all valid mocks [SCHEMA-2]', async t => {
  const settings = {
    validation: ['off', 'warn', 'enforce', 'maybe', 1],
    security: ['enforce', ''],
    prefer: [true, 'yes'],
    dynamic: [false, 0],
    echo: ['path+body', 'all'],
    base_path: ['auto', '/v1', 7],
    delay_ms: [0, 250, -1, 1.5, '5'],
    seed: ['', 'x'.repeat(65)],
    capture: [true, null],
    block_breaking: [false, []],
    what: [1],
    credentials: [
      {},
      { api_keys: ['a'] },
      { api_keys: 'a' },
      { bearer: 'idp' },
      { bearer: ['t'] },
      { bearer: 3 },
      { basic: { a: 'b' } },
      { oauth: 'none' },
      { other: 1 },
    ],
  }
  for (const [key, values] of Object.entries(settings)) {
    for (const value of values) {
      const isServed = 'settings' in readSettings({ [key]: value } as never, 30_000)
      t.equal(
        refused(JSON.stringify({ mocks: [{ name: 'a', spec: 'a.yaml', settings: { [key]: value } }] })).length === 0,
        isServed,
        `${key}: ${JSON.stringify(value)}`,
      )
    }
  }
})

t.test('svc schema includes the plugins in use and references in their options [SCHEMA-3]', async t => {
  const folder = t.testdir()
  mkdirSync(join(folder, 'mine', 'tariffs'), { recursive: true })
  writeFileSync(
    join(folder, 'mine', 'tariffs', 'index.ts'),
    `export default { title: 'Tariffs', paths: [], section: 'tariff/list', register() {}, options: {
    type: 'object', additionalProperties: false, $defs: { price: { type: 'number', minimum: 0 } }, properties: { low: { $ref: '#/$defs/price' }, mode: { const: '$ref' } } } }\n`,
  )
  writeFileSync(join(folder, 'svc.yaml'), 'plugins: { dirs: [mine] }\n')
  const own = ajv.compile(JSON.parse((await svc(['schema'], { folder })).output) as object)
  t.strictSame(refused('plugins: { disable: [tariffs] }\ntariff/list: { low: 1.5, mode: $ref }', own), [])
  t.strictSame(refused('tariff/list: { low: -1 }', own), ['/tariff~1list/low minimum'])
  t.strictSame(refused('tariff/list: { high: 1 }', own), ['/tariff~1list additionalProperties'])
})
