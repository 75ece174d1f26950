/**
 * The pages of the checks are what the catalog says. `npm run docs:probe` writes them. They have no examples that run: the
 * checks run in `test/probe`.
 */
import t from 'tap'
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CATALOG } from '../../plugins/probe/checks/index.ts'
import { CONFIGURATION } from '../../plugins/probe/catalog/configuration.ts'
import { readFindings } from '../probe/findings.ts'
import { root } from '../support/examples.ts'
import { catalogPage, checkPage, readMatrix } from '../support/probe-pages.ts'

const folder = join(root, 'docs', 'probe')

function pages(): ReadonlyMap<string, string> {
  const findings = readFindings()
  const matrix = readMatrix(readFileSync(join(root, 'docs', 'gateways', 'matrix.md'), 'utf8'))
  return new Map([
    ['README.md', catalogPage()],
    ...CATALOG.map(check => [`${check.id}.md`, checkPage(check, { findings, matrix })] as const),
  ])
}

t.test('each check has a page, which is up to date [PRB-21]', t => {
  const wanted = pages()
  if (process.env.SVC_WRITE_DOCS === '1') {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    for (const [name, text] of wanted) writeFileSync(join(folder, name), text)
  }
  t.strictSame(readdirSync(folder).toSorted(), [...wanted.keys()].toSorted())
  const old = [...wanted].filter(([name, text]) => readFileSync(join(folder, name), 'utf8') !== text)
  t.strictSame(
    old.map(([name]) => name),
    [],
    'npm run docs:probe',
  )
  t.end()
})

t.test('each check says what is sent, what is expected, and why it matters [PRB-21]', t => {
  for (const { id, page } of CATALOG)
    for (const key of ['sent', 'expected', 'why'] as const) t.match(page[key], /^\S[^]+\S$/, `${id} ${key}`)
  t.end()
})

t.test('configurations are those of checks [PRB-21]', t => {
  for (const id of Object.keys(CONFIGURATION))
    t.ok(
      CATALOG.some(check => check.id === id),
      id,
    )
  t.end()
})

t.test('only sections are cited that somebody has read [PRB-21]', t => {
  const read = JSON.parse(readFileSync(join(root, 'test', 'probe', 'sources.json'), 'utf8')) as Record<string, string[]>
  for (const { id, sources } of CATALOG)
    for (const { spec, section } of sources)
      if (section !== undefined) t.ok(read[spec]?.includes(section), `${id}: ${spec} section ${section}`)
  t.end()
})
