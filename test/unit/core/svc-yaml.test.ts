/** Finding, reading and bounding svc.yaml. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { findConfigFile, readSvcYaml, type SvcYaml } from '../../../core/config/svc-yaml.ts'

/** Writes a file and reads it. */
function readText(t: Test, text: string | Buffer, publicMode = false): ReturnType<typeof readSvcYaml> {
  const path = join(t.testdir(), 'svc.yaml')
  writeFileSync(path, text)
  return readSvcYaml(path, { publicMode })
}

function documentOf(t: Test, text: string): SvcYaml {
  const result = readText(t, text)
  if (!result.ok) throw new Error(result.error.message)
  return result.document
}

t.test('finds the file by argument, variable, then its usual name [YAML-1]', async t => {
  const cwd = t.testdir()
  t.equal(findConfigFile({ cwd }), null)
  writeFileSync(join(cwd, 'svc.yaml'), '')
  t.equal(findConfigFile({ argument: undefined, variable: null, cwd }), join(cwd, 'svc.yaml'))
  t.equal(findConfigFile({ variable: 'sub/b.yaml', cwd }), join(cwd, 'sub/b.yaml'))
  t.equal(findConfigFile({ argument: '/etc/a.yaml', variable: 'b.yaml', cwd }), '/etc/a.yaml')
  t.strictSame(readSvcYaml(join(cwd, 'none.yaml'), { publicMode: false }), {
    ok: false,
    error: {
      file: join(cwd, 'none.yaml'),
      at: null,
      message: 'the file does not exist',
      line: null,
      remedy: 'create it, or pass another file with --config',
    },
  })
})

t.test('no file and an empty file give an empty configuration', async t => {
  const nothing = { sections: {}, plugins: { enable: [], disable: [], dirs: [], packages: [] }, errors: [] }
  t.match(readSvcYaml(null, { publicMode: false }), { ok: true, document: { ...nothing, file: null } })
  for (const text of ['', '\n', '# only a comment\n', '---\n', 'null', '{}', '\ufeff', 'plugins:\n'])
    t.match(documentOf(t, text), nothing, JSON.stringify(text))
})

t.test('parses sections as YAML 1.2 core [YAML-4]', async t => {
  const document = documentOf(
    t,
    '%YAML 1.1\n---\norders: { currency: EUR, on: yes, day: 2001-01-01, eight: 010, hex: 0x1F, big: 1e3, none: ~ }\n200: status\n1.0: version\n<<: { a: 1 }\nlist:\n  - &x { n: 1 }\n  - *x\n',
  )
  t.equal(Object.getPrototypeOf(document.sections), null)
  t.strictSame(JSON.parse(JSON.stringify(document.sections)), {
    200: 'status',
    orders: { currency: 'EUR', on: 'yes', day: '2001-01-01', eight: 10, hex: 31, big: 1000, none: null },
    '1.0': 'version',
    '<<': { a: 1 },
    list: [{ n: 1 }, { n: 1 }],
  })
  const list = document.sections.list as object[]
  t.not(list[0], list[1], 'an alias is a copy')
})

t.test('__proto__ is an ordinary key [YAML-4]', async t => {
  const { sections } = documentOf(t, '__proto__: { polluted: 1 }\nconstructor: 2\na:\n  __proto__: { polluted: 1 }\n')
  t.strictSame(Object.keys(sections), ['__proto__', 'constructor', 'a'])
  t.equal((sections.a as { polluted?: number }).polluted, undefined)
  t.strictSame(Object.keys(sections.a as object), ['__proto__'])
  t.equal(({} as { polluted?: number }).polluted, undefined)
})

t.test('a file that is not a YAML mapping of at most 1 MiB gives one load error [YAML-2]', async t => {
  const bad: [text: string | Buffer, message: RegExp, line: number | null][] = [
    ['- a\n- b\n', /^expected a mapping at the top$/, 1],
    ['just text', /^expected a mapping at the top$/, 1],
    ['a: [1, 2\nb: 3\n', /./, 2],
    ['a: 1\n\tb: 2\n', /./, 2],
    ['a: 1\nb: 2\na: 3\n', /^key "a" occurs twice$/, 3],
    ['a: 1\n---\nb: 1\n', /^expected one YAML document, found more$/, 2],
    ['a: *nowhere\n', /./, 1],
    ['? [1]\n: 2\n', /^a key must be a text or number$/, 1],
    [Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0xff, 0xfe, 0x00]), /^not UTF-8 text$/, null],
    [Buffer.from([0x61, 0x00, 0x01, 0x02]), /^expected a mapping at the top$/, 1],
    [`a: "${'x'.repeat(2 * 1024 * 1024)}"`, /^larger than 1048576 bytes$/, null],
  ]
  for (const [text, message, line] of bad) {
    t.match(
      readText(t, text),
      { ok: false, error: { file: /svc\.yaml$/, at: null, message, line } },
      JSON.stringify(text.toString().slice(0, 40)),
    )
  }
  t.match(readText(t, `a: "${'x'.repeat(1024 * 1024 - 5)}"`), { ok: true }, 'exactly 1 MiB')
  const folder = t.testdir()
  t.match(readSvcYaml(folder, { publicMode: false }), { ok: false, error: { message: 'not a regular file' } })
  mkdirSync(join(folder, 'file.yaml'))
  t.match(readSvcYaml(join(folder, 'file.yaml', 'x'), { publicMode: false }), {
    ok: false,
    error: { message: 'the file does not exist' },
  })
})

t.test('aliases, cycles and nesting are bounded [YAML-3]', async t => {
  const nested = (depth: number): string => `a: ${'['.repeat(depth)}${']'.repeat(depth)}`
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...[...'bcdefghi'].map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[index]}`).join(',')}]`),
  ].join('\n')
  const uses = (count: number): string => `b: &b { a: 1 }\nc: [${Array(count).fill('*b').join(',')}]`
  const bad: [text: string, message: RegExp][] = [
    [bomb, /^an anchor is used more than 100 times$/],
    [uses(101), /^an anchor is used more than 100 times$/],
    ['a: &x [1, *x]', /^alias inside its own anchor$/],
    ['a: &x { b: { c: *x } }', /^alias inside its own anchor$/],
    [`base: &base [${'1,'.repeat(20_000)}]\nall: [${Array(60).fill('*base').join(',')}]`, /^more than 1000000 values$/],
    [nested(101), /^nested more than 100 levels deep$/],
    ['['.repeat(100_000), /^nested more than 100 levels deep$/],
    ['{a: '.repeat(50_000), /^nested more than 100 levels deep$/],
    ['- '.repeat(50_000), /^nested more than 100 levels deep$/],
    [`- text\n- >-\n${'- '.repeat(10_000)}x`, /^nested more than 100 levels deep$/],
    [`a: ${'<<: '.repeat(10_000)}x`, /^nested more than 100 levels deep$/],
    ['? '.repeat(50_000), /^nested more than 100 levels deep$/],
    [
      `a: &a ${'['.repeat(60)}${']'.repeat(60)}\nb: ${'['.repeat(60)}*a${']'.repeat(60)}`,
      /^nested more than 100 levels deep$/,
    ],
  ]
  for (const [text, message] of bad) t.match(readText(t, text), { ok: false, error: { message } }, text.slice(0, 40))
  for (const text of [uses(100), nested(98), '&key a: 1\nb: *key\n'])
    t.match(readText(t, text), { ok: true }, text.slice(0, 40))
})

t.test('an unknown tag is reported, and its value taken', async t => {
  const document = documentOf(t, 'a: 1\nb: !include other.yaml\n')
  t.equal(document.sections.b, 'other.yaml')
  t.match(document.errors, [{ file: /svc\.yaml$/, at: null, message: /include/, line: 2 }])
})

t.test('lines and columns of items [YAML-5]', async t => {
  const { locate } = documentOf(
    t,
    [
      'mcp:',
      '  servers:',
      '    - name: support',
      '      tools:',
      '        - lookup',
      '        - name: refund',
      '          scope: 5',
      'base: &base',
      '  a: 1',
      'other: *base',
      '200:',
      '  x: 1',
      '"quoted key": 1',
    ].join('\n'),
  )
  const cases: [path: (string | number)[], line: number | null, column?: number][] = [
    [['mcp'], 1, 1],
    [['mcp', 'servers'], 2, 3],
    [['mcp', 'servers', 0], 3, 7],
    [['mcp', 'servers', 0, 'tools'], 4, 7],
    [['mcp', 'servers', 0, 'tools', 1], 6, 11],
    [['mcp', 'servers', 0, 'tools', 1, 'scope'], 7],
    [['mcp', 'servers', 0, 'tools', 1, 'missing', 'deeper'], 6],
    [['mcp', 'servers', 7], 2],
    [['other', 'a'], 9],
    [['200', 'x'], 12],
    [['quoted key'], 13],
    [['nothing'], null],
    [[], null],
  ]
  for (const [path, line, column] of cases) {
    const found = locate(path)
    t.equal(found?.line ?? null, line, JSON.stringify(path))
    if (column !== undefined) t.equal(found?.column, column, JSON.stringify(path))
  }
})

t.test('the section plugins: invalid items are ignored, the rest applies [YAML-6]', async t => {
  const folder = t.testdir()
  const path = join(folder, 'svc.yaml')
  writeFileSync(
    path,
    'plugins:\n  enable: [llm, Bad Name]\n  disable:\n    - soap\n    - 7\n  dirs: [./mine, /abs]\n  packages: ["@acme/svc-plugin-orders"]\n  disabel: [x]\norders: {}\n',
  )
  const result = readSvcYaml(path, { publicMode: false })
  if (!result.ok) throw new Error(result.error.message)
  t.strictSame(
    { ...result.document.plugins },
    { enable: ['llm'], disable: ['soap'], dirs: [join(folder, 'mine'), '/abs'], packages: ['@acme/svc-plugin-orders'] },
  )
  t.strictSame({ ...result.document.sections }, { orders: {} })
  t.strictSame(result.document.errors.map(({ at, message, line }) => [at, message, line]).sort(), [
    ['plugins.disabel', 'unknown key "disabel" (did you mean "disable"?)', 8],
    ['plugins.disable[1]', 'expected string, got number', 5],
    ['plugins.enable[1]', 'expected text that matches ^[a-z][a-z0-9-]{0,39}$', 2],
  ])
  for (const text of ['plugins: 5', 'plugins: [soap]', 'plugins: { disable: soap }']) {
    const document = documentOf(t, text)
    t.strictSame({ ...document.plugins }, { enable: [], disable: [], dirs: [], packages: [] }, text)
    t.equal(document.errors.length, 1, text)
  }
})

t.test('public instances show the base name only [YAML-7]', async t => {
  t.match(readText(t, '- a', true), { ok: false, error: { file: 'svc.yaml' } })
  t.match(readText(t, 'plugins: 5', true), { ok: true, document: { errors: [{ file: 'svc.yaml', at: 'plugins' }] } })
  const missing = readSvcYaml(join(t.testdir(), 'secret-place', 'x.yaml'), { publicMode: true })
  t.notMatch(JSON.stringify(missing), 'secret-place')
})
