/** Validation of options: what is removed, and what is reported. */
import t from 'tap'
import { applySchema, valueOfAbsence, type ValidatorCache } from '../../../core/config/options.ts'
import { pluginsSchema } from '../../../core/config/svc-yaml.ts'
import { discover } from '../../../core/host/discovery.ts'
import { loadPlugin } from '../../../core/host/module-loader.ts'
import { BUILTIN_FOLDER } from '../../../core/product.ts'

const tool = {
  anyOf: [
    { type: 'string' },
    {
      type: 'object',
      required: ['name'],
      additionalProperties: false,
      properties: {
        name: { type: 'string', pattern: '^[a-z_]+$' },
        scope: { type: 'string' },
        answers: {
          type: 'array',
          items: {
            type: 'object',
            additionalProperties: false,
            properties: { text: { type: 'string' }, is_error: { type: 'boolean', default: false } },
          },
        },
      },
    },
  ],
}
const servers = {
  type: 'object',
  additionalProperties: false,
  $defs: { tool },
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 10, default: 5 },
    nested: { type: 'object', properties: { deep: { type: 'object', properties: { flag: { type: 'boolean' } } } } },
    servers: {
      type: 'array',
      default: [],
      maxItems: 3,
      items: {
        type: 'object',
        required: ['name'],
        additionalProperties: false,
        properties: {
          name: { type: 'string' },
          auth: { enum: ['open', 'apikey'], default: 'open' },
          tools: { type: 'array', items: { $ref: '#/$defs/tool' } },
        },
      },
    },
  },
}

/** The remaining options, and the errors as `at: message` lines. */
function check(
  schema: Record<string, unknown>,
  value: unknown,
  at = 'mcp',
): { value: unknown; errors: string[]; isValid: boolean } {
  const result = applySchema(schema, value, at)
  return {
    value: result.value,
    errors: result.errors.map(error => `${error.at}: ${error.message}`),
    isValid: result.isValid,
  }
}

t.test('valid options pass, defaults are filled in, and the input is not modified [OPT-2]', async t => {
  const given = { servers: [{ name: 'a', tools: ['x', { name: 'y' }] }] }
  const before = structuredClone(given)
  t.strictSame(check(servers, given), {
    value: { servers: [{ name: 'a', auth: 'open', tools: ['x', { name: 'y' }] }], limit: 5 },
    errors: [],
    isValid: true,
  })
  t.strictSame(given, before)
  t.strictSame(check(servers, {}).value, { limit: 5, servers: [] })
  t.not(
    (check(servers, {}).value as { servers: unknown }).servers,
    (check(servers, {}).value as { servers: unknown }).servers,
    'defaults are not shared',
  )
  t.strictSame(check({ type: 'array', items: { type: 'string' } }, ['a', 5, 'b']), {
    value: ['a', 'b'],
    errors: ['mcp[1]: expected string, got number'],
    isValid: true,
  })
})

t.test('removes the innermost list entry, else the top-level key [OPT-1]', async t => {
  const cases: [given: unknown, left: unknown, errors: string[]][] = [
    [{ limit: 'x' }, { limit: 5, servers: [] }, ['mcp.limit: expected integer, got string']],
    [{ limit: 11 }, { limit: 5, servers: [] }, ['mcp.limit: expected at most 10']],
    [
      { nested: { deep: { flag: 'x' } }, limit: 1 },
      { limit: 1, servers: [] },
      ['mcp.nested.deep.flag: expected boolean, got string'],
    ],
    [{ servers: 'x' }, { limit: 5, servers: [] }, ['mcp.servers: expected array, got string']],
    [
      { servers: [{ name: 'a', auth: 'opne' }, { name: 'b' }] },
      { limit: 5, servers: [{ name: 'b', auth: 'open' }] },
      ['mcp.servers[0].auth: expected "open" or "apikey"'],
    ],
    [
      { servers: [{ auth: 'open' }, { name: 'b' }] },
      { limit: 5, servers: [{ name: 'b', auth: 'open' }] },
      ['mcp.servers[0]: missing key "name"'],
    ],
    [
      { servers: [{ name: 'a', tools: ['x', 5, 'y'] }] },
      { limit: 5, servers: [{ name: 'a', auth: 'open', tools: ['x', 'y'] }] },
      ['mcp.servers[0].tools[1]: expected string or object, got number'],
    ],
    [null, { limit: 5, servers: [] }, ['mcp: expected object, got null']],
    ['x', { limit: 5, servers: [] }, ['mcp: expected object, got string']],
    [[1], { limit: 5, servers: [] }, ['mcp: expected object, got array']],
  ]
  for (const [given, left, errors] of cases)
    t.strictSame(check(servers, given), { value: left, errors, isValid: true }, JSON.stringify(given))
})

t.test('only the surplus entries of a list that is too long or has duplicates are removed [OPT-1]', async t => {
  const names = (...list: string[]): object[] => list.map(name => ({ name, auth: 'open' }))
  t.strictSame(check(servers, { servers: names('a', 'b', 'c', 'd', 'e') }), {
    value: { servers: names('a', 'b', 'c'), limit: 5 },
    isValid: true,
    errors: ['mcp.servers[3]: expected at most 3 entries', 'mcp.servers[4]: expected at most 3 entries'],
  })
  t.strictSame(check({ type: 'array', uniqueItems: true }, [{ a: 1 }, 2, { a: 1 }]), {
    value: [{ a: 1 }, 2],
    errors: ['mcp[2]: entries 0 and 2 are equal'],
    isValid: true,
  })
})

t.test('unknown keys are reported with a suggestion [OPT-3]', async t => {
  t.strictSame(check(servers, { servers: [{ name: 'a', tols: [] }, { name: 'b' }], limti: 3, zzz: 1 }), {
    value: { servers: [{ name: 'b', auth: 'open' }], limit: 5 },
    isValid: true,
    errors: [
      'mcp.limti: unknown key "limti" (did you mean "limit"?)',
      'mcp.zzz: unknown key "zzz"',
      'mcp.servers[0].tols: unknown key "tols" (did you mean "tools"?)',
    ],
  })
  t.strictSame(check(servers, { 'a.b c': 1 }).errors, ['mcp["a.b c"]: unknown key "a.b c"'])
})

t.test('messages describe the expected form and never contain the value [OPT-3]', async t => {
  const cases: [schema: Record<string, unknown>, value: unknown, message: string][] = [
    [{ type: ['string', 'null'] }, 5, 'expected string or null, got number'],
    [{ const: 'x' }, 'hunter2', 'expected "x"'],
    [{ type: 'number', exclusiveMinimum: 0 }, 0, 'expected more than 0'],
    [{ type: 'string', minLength: 1 }, '', 'expected at least 1 character'],
    [{ type: 'string', maxLength: 3 }, 'hunter2', 'expected at most 3 characters'],
    [{ type: 'string', pattern: '^a$' }, 'hunter2', 'expected text that matches ^a$'],
    [{ type: 'string', pattern: '^a$', examples: ['a'] }, 'hunter2', 'expected text such as "a", that matches ^a$'],
    [{ type: 'string', format: 'uri' }, 'hunter2', 'expected uri format'],
    [{ type: 'array', minItems: 2 }, [1], 'expected at least 2 entries'],
    [{ type: 'object', minProperties: 1 }, {}, 'expected at least 1 key'],
    [
      { type: 'object', propertyNames: { maxLength: 2 } },
      { abc: 1 },
      'invalid key "abc": expected at most 2 characters',
    ],
    [{ type: 'object', dependentRequired: { a: ['b'] } }, { a: 1 }, 'missing key "b", which "a" needs'],
    [{ oneOf: [{ type: 'number' }, { minimum: 3 }] }, 5, 'matches more than one of the accepted forms'],
    [JSON.parse('{"if":{"type":"string"},"then":{"maxLength":1}}'), 'hunter2', 'expected at most 1 character'],
  ]
  for (const [schema, value, message] of cases) {
    const { errors } = applySchema({ type: 'object', properties: { x: schema } }, { x: value }, 's')
    t.strictSame(
      errors.map(error => error.message),
      [message],
      JSON.stringify(schema),
    )
  }
})

t.test('among alternatives the one that was probably meant determines the error [OPT-5]', async t => {
  const tools = [
    { name: 'ok', answers: [{ text: 'a' }, { txt: 'b' }, { text: 5 }] },
    { name: 'Bad' },
    { nme: 'x' },
    'fine',
  ]
  t.strictSame(check(servers, { servers: [{ name: 'a', tools }] }), {
    value: {
      servers: [{ name: 'a', auth: 'open', tools: [{ name: 'ok', answers: [{ text: 'a' }] }, 'fine'] }],
      limit: 5,
    },
    isValid: true,
    errors: [
      'mcp.servers[0].tools[0].answers[1].txt: unknown key "txt" (did you mean "text"?)',
      'mcp.servers[0].tools[0].answers[2].text: expected string, got number',
      'mcp.servers[0].tools[1].name: expected text that matches ^[a-z_]+$',
      'mcp.servers[0].tools[2]: missing key "name"',
      'mcp.servers[0].tools[2].nme: unknown key "nme" (did you mean "name"?)',
    ],
  })
  const kinds = {
    type: 'array',
    items: {
      oneOf: ['number', 'string'].map(type => ({
        type: 'object',
        properties: { kind: { const: type }, list: { type: 'array', items: { type } } },
        required: ['kind'],
      })),
    },
  }
  t.strictSame(
    check(kinds, [
      { kind: 'string', list: ['x', 5, 'y'] },
      { kind: 'number', list: [1, 'x'] },
    ]),
    {
      value: [
        { kind: 'string', list: ['x', 'y'] },
        { kind: 'number', list: [1] },
      ],
      isValid: true,
      errors: ['mcp[0].list[1]: expected string, got number', 'mcp[1].list[1]: expected number, got string'],
    },
  )
  t.strictSame(
    check({ ...kinds, $id: 'https://example.com/kinds' }, [{ kind: 'string', list: [5] }]).errors,
    ['mcp[0].list[0]: expected string, got number'],
    'a schema with an identifier',
  )
})

t.test('errors have the position of the item in the file [OPT-4]', async t => {
  // The second list is too short only after one of its entries was removed.
  const schema = {
    type: 'object',
    properties: { lists: { type: 'array', items: { type: 'array', minItems: 1, items: { type: 'number' } } } },
  }
  const result = applySchema(schema, { lists: ['x', [1, 'y', 2, 'z'], ['w']] }, 's')
  t.strictSame(result.value, { lists: [[1, 2]] })
  t.strictSame(
    result.errors.map(({ at, path }) => [at, path]),
    [
      ['s.lists[0]', ['lists', 0]],
      ['s.lists[1][1]', ['lists', 1, 1]],
      ['s.lists[1][3]', ['lists', 1, 3]],
      ['s.lists[2][0]', ['lists', 2, 0]],
      ['s.lists[2]', ['lists', 2]],
    ],
  )
})

t.test('a missing required value makes the section invalid [OPT-7]', async t => {
  const schema = {
    type: 'object',
    required: ['url'],
    properties: { url: { type: 'string' }, retries: { type: 'integer', default: 3 } },
  }
  t.strictSame(check(schema, {}), { value: { retries: 3 }, errors: ['mcp: missing key "url"'], isValid: false })
  t.strictSame(check(schema, { url: 5 }), {
    value: { retries: 3 },
    errors: ['mcp.url: expected string, got number', 'mcp: missing key "url"'],
    isValid: false,
  })
  t.strictSame(
    check({ type: 'object', not: { required: ['a', 'b'] } }, { a: 1, b: 2 }).value,
    {},
    'an error of the section as a whole leaves it out',
  )
})

t.test('a schema is compiled once per cache [OPT-6]', async t => {
  const cache: ValidatorCache = new WeakMap()
  applySchema(servers, {}, 'mcp', { cache })
  const compiled = cache.get(servers)
  t.ok(compiled)
  t.strictSame(
    applySchema(servers, { limit: 'x' }, 'mcp', { cache }).value,
    applySchema(servers, { limit: 'x' }, 'mcp').value,
  )
  t.equal(cache.get(servers), compiled)
  t.throws(() => applySchema({ type: 'nonsense' }, {}, 'mcp'))
})

t.test('hostile sections are bounded', async t => {
  const long = applySchema(servers, { servers: Array.from({ length: 20_000 }, () => ({ name: 5 })) }, 'mcp')
  t.equal(long.errors.length, 101)
  t.match(long.errors.at(-1), { at: 'mcp', message: /^and \d+ more errors$/ })
  t.strictSame(long.value, { servers: [], limit: 5 })
  const proto = check(
    { type: 'object', additionalProperties: { type: 'string' }, required: ['constructor'] },
    JSON.parse('{"__proto__": {"polluted": 1}, "a": "b"}'),
  )
  t.equal(proto.isValid, false, 'inherited members do not count')
  t.ok(proto.errors.includes('mcp.__proto__: expected string, got object'))
  t.equal(({} as { polluted?: number }).polluted, undefined)
})

t.test('the schemas of svc, which a start does not validate, are valid', async t => {
  t.doesNotThrow(() => applySchema(pluginsSchema, {}, 'plugins'))
  t.strictSame(valueOfAbsence(pluginsSchema), applySchema(pluginsSchema, {}, 'plugins').value)
  const found = await discover({
    builtinFolder: BUILTIN_FOLDER,
    folders: [],
    packages: [],
    workingDirectory: BUILTIN_FOLDER,
  })
  let checked = 0
  for (const plugin of found) {
    const { options } = await loadPlugin(plugin)
    if (options === undefined) continue
    checked++
    const absent = valueOfAbsence(options)
    t.not(absent, null, `${plugin.name} starts without compiling its schema`)
    t.strictSame(absent, applySchema(options, options.type === 'array' ? [] : {}, plugin.name).value, plugin.name)
  }
  t.ok(checked >= 3, `${checked} plugins take options`)
})

t.test('an absent section is computed without the validator only if the result is the same', t => {
  const plain = {
    type: 'object',
    properties: { limit: { type: 'integer', default: 5 }, list: { type: 'array', default: [], items: {} }, free: {} },
  }
  t.strictSame(valueOfAbsence(plain), { limit: 5, list: [] })
  t.strictSame(valueOfAbsence({ type: 'array', items: plain }), [])
  for (const schema of [
    { ...plain, required: ['free'] },
    { ...plain, anyOf: [plain] },
    { ...plain, minProperties: 1 },
    { type: 'array', minItems: 1 },
    {},
    { properties: {} },
    { type: 'object', properties: { inner: { type: 'object', default: { a: 1 }, properties: { b: { default: 2 } } } } },
  ])
    t.equal(valueOfAbsence(schema), null, JSON.stringify(schema))
  t.strictSame(
    applySchema({ ...plain, required: ['free'] }, {}, 'x', { isTrusted: true }).errors.map(({ message }) => message),
    ['missing key "free"'],
    'a needed key is still missed',
  )
  t.end()
})
