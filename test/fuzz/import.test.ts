/** Changed files of other tools are imported without an error, and what is written can be loaded. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { IMPORT_FIXTURES, importInto, serveImported } from '../support/imports/imported.ts'
import { randomNumbers } from '../support/random-numbers.ts'

const ROUNDS = Number(process.env.SVC_FUZZ_ROUNDS ?? 1)
/** One of 14 values is replaced. */
const RARITY = 14
const VALUES: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  999,
  1e300,
  '',
  '{{',
  '{{#if}}',
  '{{request.nope}}',
  '{{count|}}}}',
  '(',
  '[',
  'a'.repeat(3000),
  [],
  {},
  [[]],
  { a: {} },
  { equals: 1 },
  'x\ny',
  '/s/a',
  '/_svc',
  '$',
  '$..[',
  '*',
  '\u0000',
  '__proto__',
  'http://x/?q',
  '{x}',
  '/a/{b',
]

function filesIn(folder: string): string[] {
  return readdirSync(folder)
    .map(name => join(folder, name))
    .flatMap(path => (statSync(path).isDirectory() ? filesIn(path) : /\.(?:json|har|yaml)$/.test(path) ? [path] : []))
}

function changed(value: unknown, below: (max: number) => number): unknown {
  if (below(RARITY) === 0) return VALUES[below(VALUES.length)]
  if (Array.isArray(value)) return value.map(item => changed(item, below))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [below(150) === 0 ? `${name}X` : name, changed(member, below)]),
  )
}

t.test('changed files', async t => {
  t.setTimeout(0)
  const folder = mkdtempSync(join(tmpdir(), 'svc-fuzz-import-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const below = randomNumbers(20_261_127)
  let imports = 0
  for (let round = 0; round < ROUNDS; round++)
    for (const file of filesIn(IMPORT_FIXTURES).filter(one => basename(one) !== 'broken.json')) {
      const text = readFileSync(file, 'utf8')
      const document: unknown = file.endsWith('.yaml') ? parse(text) : JSON.parse(text)
      const source = join(folder, `${round}.json`)
      writeFileSync(source, JSON.stringify(changed(document, below)))
      const imported = await importInto(t, [source])
      if (imported.code === 2) continue
      imports++
      const server = await serveImported(t, imported.folder)
      t.same(server.host.loadErrors, [], `${basename(file)} in round ${round}`)
      await server.stop()
    }
  t.ok(imports > 10, `${imports} imports`)
})
