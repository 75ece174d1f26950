// `then` is a keyword of JSON Schema.
/* oxlint-disable unicorn/no-thenable */
import t from 'tap'
import { OutputBudget, StepBudget } from '../../../core/contract/budgets.ts'
import type { Json, JsonObject } from '../../../plugins/mocks/document/json.ts'
import { compile, documentOf } from '../../integration/mocks/document.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

function sampleOf(
  schema: Json,
  {
    components = {},
    openapi = '3.1.0',
    seed = 's',
    useExamples = true,
  }: { components?: JsonObject; openapi?: string; seed?: string; useExamples?: boolean } = {},
) {
  const api = compile(documentOf({}, { openapi, components: { schemas: components } }))
  const budgets = {
    output: new OutputBudget(16 << 20),
    generation: new StepBudget(5_000_000),
    checks: StepBudget.unlimited(),
    writing: StepBudget.unlimited(),
  }
  const value = api.sampler.sample(schema, { seed, useExamples, budgets })
  return { value, errors: api.schemas.errors(schema, value, 'response', StepBudget.unlimited()) }
}

const FITTING: Record<string, Json> = {
  const: { const: { a: 1 } },
  enum: { enum: ['a', 'b'] },
  'type list': { type: ['null', 'integer'] },
  'object with all kinds': {
    type: 'object',
    required: ['id', 'free'],
    properties: {
      id: { type: 'integer' },
      name: { type: 'string' },
      on: { type: 'boolean' },
      price: { type: 'number' },
      none: { type: 'null' },
    },
  },
  'only required names': { type: 'object', required: ['a', 'b'] },
  'map of integers': { type: 'object', additionalProperties: { type: 'integer' } },
  minProperties: { type: 'object', minProperties: 4, additionalProperties: { type: 'string' } },
  maxProperties: {
    type: 'object',
    maxProperties: 1,
    required: ['b'],
    properties: { a: { type: 'string' }, b: { type: 'string' } },
  },
  patternProperties: {
    type: 'object',
    required: ['x-1'],
    patternProperties: { '^x-': { type: 'integer' } },
    additionalProperties: false,
  },
  'array bounds': { type: 'array', items: { type: 'string' }, minItems: 3, maxItems: 3 },
  'unique items': { type: 'array', uniqueItems: true, minItems: 3, items: { enum: ['a', 'b', 'c'] } },
  prefixItems: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false },
  contains: { type: 'array', contains: { const: 7 } },
  'unique booleans': { type: 'array', uniqueItems: true, minItems: 2, items: { type: 'boolean' } },
  'unique small numbers': {
    type: 'array',
    uniqueItems: true,
    minItems: 4,
    items: { type: 'integer', minimum: 10, exclusiveMaximum: 30, multipleOf: 5 },
  },
  'unique values and null': { type: 'array', uniqueItems: true, minItems: 3, items: { type: ['boolean', 'null'] } },
  'all of a large enum': {
    type: 'array',
    uniqueItems: true,
    minItems: 30,
    items: { enum: Array.from({ length: 30 }, (_, index) => `v${index}`) },
  },
  'many items': { type: 'array', minItems: 60, items: { type: 'integer' } },
  'null that does not fit': { type: 'object', properties: { a: { type: 'integer', default: null, example: null } } },
  'no items': { type: 'array', maxItems: 0 },
  'integer bounds': { type: 'integer', minimum: 5000, maximum: 5002 },
  'exclusive bounds': { type: 'integer', exclusiveMinimum: 4, exclusiveMaximum: 6 },
  'number bounds': { type: 'number', exclusiveMinimum: 0, maximum: 0.05 },
  'negative bounds': { type: 'integer', maximum: -10 },
  'huge bound': { type: 'integer', minimum: 9007199254740000 },
  multipleOf: { type: 'integer', multipleOf: 250, minimum: 1 },
  'decimal multipleOf': { type: 'number', multipleOf: 0.25 },
  lengths: { type: 'string', minLength: 50, maxLength: 60 },
  'short text': { type: 'string', maxLength: 2 },
  'pattern and length': { type: 'string', pattern: '^[A-Z]{2}-\\d{4,}$', minLength: 9 },
  'pattern of alternatives': { type: 'string', pattern: '^(?:red|green)-[^a-z]+$' },
  'pattern with properties': { type: 'string', pattern: '^\\p{Lu}\\w*$' },
  'oneOf by type': { oneOf: [{ type: 'string' }, { type: 'integer' }] },
  'oneOf that overlaps': { oneOf: [{ type: 'number' }, { type: 'integer' }] },
  'anyOf with siblings': {
    type: 'object',
    properties: { a: { type: 'string' } },
    anyOf: [{ required: ['a'] }, { required: ['b'] }],
  },
  'allOf merged': {
    allOf: [
      { type: 'object', required: ['a'], properties: { a: { type: 'integer', minimum: 3 } } },
      { properties: { a: { maximum: 4 } } },
    ],
  },
  not: { type: 'integer', not: { minimum: 500 } },
  'if and then': {
    type: 'object',
    properties: { kind: { enum: ['a'] }, x: { type: 'string' } },
    if: { properties: { kind: { const: 'a' } } },
    then: { required: ['y'], properties: { y: { type: 'integer' } } },
  },
  'example that fits': { type: 'integer', example: 42 },
  'example that does not fit': { type: 'integer', example: 'forty-two' },
  'example deep inside that does not fit': {
    type: 'object',
    properties: {
      a: { type: 'array', items: { type: 'object', properties: { b: { type: 'integer', example: 'x' } } } },
    },
  },
  'default that does not fit': { type: 'integer', default: 'x', minimum: 3 },
  true: true,
  nothing: {},
}
for (const format of [
  'date-time',
  'date',
  'time',
  'duration',
  'email',
  'idn-email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uri-reference',
  'uuid',
  'byte',
  'binary',
  'password',
  'json-pointer',
  'regex',
  'int32',
  'int64',
  'unknown',
])
  FITTING[`format ${format}`] = { type: format.startsWith('int') ? 'integer' : 'string', format }

t.test('a generated value is valid for its schema [MOCK-56]', async t => {
  for (const [name, schema] of Object.entries(FITTING)) {
    for (const seed of ['a', 'b', 'c']) {
      const { errors, value } = sampleOf(schema, { seed })
      t.same(errors, [], `${name} by ${seed}: ${JSON.stringify(value)}`)
    }
  }
})

t.test('a null of the document is used where it fits [MOCK-56]', t => {
  const cases: [Json, Json][] = [
    [{ type: ['string', 'null'], default: null }, null],
    [{ type: ['string', 'null'], examples: [null] }, null],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }], default: null }, null],
    [{ example: null }, null],
  ]
  for (const [schema, expected] of cases) t.equal(sampleOf(schema).value, expected, JSON.stringify(schema))
  t.equal(sampleOf({ type: 'string', nullable: true, example: null }, { openapi: '3.0.3' }).value, null)
  t.type(sampleOf({ type: 'string', example: null }, { openapi: '3.0.3' }).value, 'string')
  t.end()
})

t.test('the content of a string is generated by its keywords [MOCK-56]', t => {
  const content = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } }
  const json = { type: 'string', contentMediaType: 'application/json', contentSchema: content }
  t.match(JSON.parse(String(sampleOf(json).value)), { id: Number })
  t.match(sampleOf({ type: 'string', contentEncoding: 'base64' }).value, /^[A-Za-z0-9+/]+={0,2}$/)
  t.end()
})

t.test('OpenAPI 3.0 keywords are supported [MOCK-56]', async t => {
  const cases: Record<string, [Json, (value: Json) => boolean]> = {
    'nullable is not null': [{ type: 'string', nullable: true }, value => typeof value === 'string'],
    'exclusive bounds as booleans': [
      { type: 'integer', minimum: 4, exclusiveMinimum: true, maximum: 6, exclusiveMaximum: true },
      value => value === 5,
    ],
    'siblings of a reference are ignored': [
      { $ref: '#/components/schemas/N', minimum: 5000 },
      value => Number(value) <= 1000,
    ],
  }
  for (const [name, [schema, holds]] of Object.entries(cases)) {
    const { value, errors } = sampleOf(schema, { openapi: '3.0.3', components: { N: { type: 'integer' } } })
    t.same(errors, [], name)
    t.ok(holds(value), `${name}: ${JSON.stringify(value)}`)
  }
  t.ok(
    Number(
      sampleOf({ $ref: '#/components/schemas/N', minimum: 5000 }, { components: { N: { type: 'integer' } } }).value,
    ) >= 5000,
    'in 3.1 they apply',
  )
})

t.test('readOnly and writeOnly depend on the direction [MOCK-56]', async t => {
  const { value, errors } = sampleOf({
    type: 'object',
    required: ['id', 'secret'],
    properties: { id: { type: 'integer', readOnly: true }, secret: { type: 'string', writeOnly: true } },
  })
  t.same(errors, [])
  t.same(Object.keys(value as object), ['id'])
})

t.test('a discriminator names the alternative that was built [MOCK-56]', async t => {
  const components = {
    Cat: {
      type: 'object',
      required: ['kind', 'meow'],
      properties: { kind: { type: 'string' }, meow: { type: 'boolean' } },
    },
    Dog: {
      type: 'object',
      required: ['kind', 'bark'],
      properties: { kind: { type: 'string' }, bark: { type: 'boolean' } },
    },
  }
  const oneOf = [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }]
  t.match(
    sampleOf(
      { oneOf, discriminator: { propertyName: 'kind', mapping: { feline: '#/components/schemas/Cat' } } },
      { components },
    ).value,
    { kind: 'feline' },
  )
  t.match(sampleOf({ oneOf, discriminator: { propertyName: 'kind' } }, { components }).value, { kind: 'Cat' })
})

t.test('the same seed gives the same value, and new members do not change the others [MOCK-56]', async t => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, count: { type: 'integer' }, at: { type: 'string', format: 'date-time' } },
  }
  const first = sampleOf(schema, { seed: 'x' }).value as JsonObject
  t.same(sampleOf(schema, { seed: 'x' }).value, first)
  t.notSame(sampleOf(schema, { seed: 'y' }).value, first)
  const wider = sampleOf({ ...schema, properties: { added: { type: 'string' }, ...schema.properties } }, { seed: 'x' })
    .value as JsonObject
  t.match(wider, first)
  // Fixed values, so that a release does not change generated data.
  t.matchOnlyStrict(first, { name: 'Delta', count: 506, at: '2022-11-27T14:03:48Z' })
})

const RECURSIVE: Record<string, [Json, JsonObject]> = {
  'a tree': [
    { $ref: '#/components/schemas/Node' },
    {
      Node: {
        type: 'object',
        required: ['children'],
        properties: { children: { type: 'array', items: { $ref: '#/components/schemas/Node' } } },
      },
    },
  ],
  'two types in a ring': [
    { $ref: '#/components/schemas/A' },
    {
      A: { type: 'object', properties: { b: { $ref: '#/components/schemas/B' } } },
      B: { type: 'object', properties: { a: { $ref: '#/components/schemas/A' } } },
    },
  ],
  'a required nullable ring': [
    { $ref: '#/components/schemas/A' },
    { A: { type: ['object', 'null'], required: ['a'], properties: { a: { $ref: '#/components/schemas/A' } } } },
  ],
  'a union of itself': [
    { $ref: '#/components/schemas/E' },
    {
      E: {
        oneOf: [
          {
            type: 'object',
            required: ['left'],
            properties: { left: { $ref: '#/components/schemas/E' } },
            additionalProperties: false,
          },
          { type: 'integer' },
        ],
      },
    },
  ],
}
t.test('recursive schemas result in finite values [MOCK-57]', async t => {
  for (const [name, [schema, components]] of Object.entries(RECURSIVE)) {
    const { value, errors } = sampleOf(schema, { components })
    t.same(errors, [], `${name}: ${JSON.stringify(value)}`)
    t.ok(JSON.stringify(value).length < 1000)
  }
})

t.test('a type that requires itself results in a finite value [MOCK-57]', async t => {
  const { value } = sampleOf(
    { $ref: '#/components/schemas/A' },
    { components: { A: { type: 'object', required: ['a'], properties: { a: { $ref: '#/components/schemas/A' } } } } },
  )
  t.same(value, { a: { a: {} } })
})

/** `A0` has two members of `A1`, which has two members of `A2`, … */
function doubling(levels: number, make: (next: JsonObject) => JsonObject): JsonObject {
  return Object.fromEntries(
    Array.from({ length: levels }, (_, level) => [
      `A${level}`,
      level === levels - 1 ? { type: 'integer' } : make({ $ref: `#/components/schemas/A${level + 1}` }),
    ]),
  )
}

t.test('schemas that double at every level stay within the limits [MOCK-57]', async t => {
  const shapes: Record<string, (next: JsonObject) => JsonObject> = {
    'optional members': next => ({ type: 'object', properties: { a: next, b: next } }),
    'required members': next => ({ type: 'object', required: ['a', 'b'], properties: { a: next, b: next } }),
    allOf: next => ({ allOf: [next, next] }),
    anyOf: next => ({ anyOf: [next, next] }),
    arrays: next => ({ type: 'array', minItems: 2, items: next }),
  }
  for (const [name, make] of Object.entries(shapes)) {
    const { value } = sampleOf({ $ref: '#/components/schemas/A0' }, { components: doubling(60, make) })
    t.ok(JSON.stringify(value).length < 262_144, name)
  }
})

t.test('a schema that references itself directly is served but not validated [MOCK-57]', async t => {
  const { value, errors } = sampleOf(
    { $ref: '#/components/schemas/A' },
    { components: { A: { allOf: [{ $ref: '#/components/schemas/A' }, { type: 'object', required: ['x'] }] } } },
  )
  t.match(value, { x: String })
  t.equal(errors, null)
})

t.test('names such as __proto__ are ordinary members [MOCK-81]', async t => {
  const schema = {
    type: 'object',
    required: ['__proto__', 'constructor'],
    properties: JSON.parse(
      '{"__proto__":{"type":"integer"},"constructor":{"type":"integer"},"toString":{"type":"string"}}',
    ) as JsonObject,
  }
  const { value } = sampleOf(schema)
  t.same(Object.keys(value as object).sort(), ['__proto__', 'constructor', 'toString'])
  t.equal(Object.getPrototypeOf(value), Object.prototype)
  t.equal(({} as JsonObject)['polluted'], undefined)
})

t.test('patterns are matched in linear time and huge ones are not built [MOCK-82]', async t => {
  const api = compile(documentOf({}))
  t.same(
    api.schemas.errors(
      { type: 'string', pattern: '^(a+)+$' },
      `${'a'.repeat(5000)}!`,
      'request',
      StepBudget.unlimited(),
    )?.length,
    1,
  )
  t.same(
    api.schemas.errors({ type: 'string', pattern: '(?=x)y' }, 'anything', 'request', StepBudget.unlimited()),
    [],
    'a pattern that no linear engine has is ignored',
  )
  const { value } = sampleOf({ type: 'string', pattern: '^((((a{1000}){1000}){1000}){1000})$' })
  t.ok(String(value).length <= 65_536)
})
