/** The pages of the checks: their parts, the table in docs/probe.md, and the data from the comparison of gateways. */
import t from 'tap'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeProbePages } from '../../packing/probe-pages.ts'
import { CATALOG } from '../../plugins/probe/checks/index.ts'
import { impactOf } from '../../plugins/probe/catalog/check.ts'
import { CONFIGURATION } from '../../plugins/probe/catalog/configuration.ts'
import { checkText } from '../../plugins/probe/report/check-text.ts'
import { root } from '../support/examples.ts'
import { fill } from '../support/filled-page.ts'

t.test('the table of all checks is up to date [PRB-21]', t => {
  const path = join(root, 'docs', 'probe.md')
  const page = readFileSync(path, 'utf8')
  const rows = CATALOG.map(check => {
    const { id, title, group, level, hostile } = check
    const shown = title.replaceAll(/[\\`*_<>[\]|#]/g, '\\$&')
    return `| [${id}](http://localhost:8080/_svc/probe/checks/${id}) | ${group} | ${shown}${hostile === true ? ' (`--hostile`)' : ''} | ${level} | ${impactOf(check)} |`
  })
  const filled = fill(
    page,
    'checks',
    ['| Check | Group | Title | Level | Impact |', '|---|---|---|---|---|', ...rows].join('\n'),
  )
  if (process.env.SVC_WRITE_DOCS === '1') writeFileSync(path, filled)
  else t.equal(page, filled)
  t.end()
})

t.test('the results of gateways are those of the comparison', t => {
  const path = join(root, 'plugins', 'probe', 'catalog', 'gateways.json')
  const known = new Set(CATALOG.flatMap(({ id }) => [id, `${id} (HTTP/2)`]))
  // A table for each part of the page, each with its own gateways.
  const tables = readFileSync(join(root, 'docs', 'gateways', 'matrix.md'), 'utf8')
    .split(/^## /m)
    .map(part =>
      part
        .split('\n')
        .filter(line => line.startsWith('| '))
        .map(line => line.slice(2, -2).split(' | ')),
    )
  const gateways = tables.flatMap(([header = []]) => header.slice(1))
  const results: Record<string, string[]> = {}
  let before = 0
  for (const [header = [], , ...rows] of tables) {
    for (const [first = '', ...cells] of rows) {
      const row = /^\S+(?: \(HTTP\/2\))?/.exec(first)?.[0] ?? ''
      if (!known.has(row)) continue
      results[row] ??= gateways.map(() => '–')
      results[row].splice(before, cells.length, ...cells)
    }
    before += header.length - 1
  }
  const joined = results['GQL-DATA']!.filter(cell => cell !== '–')
  t.ok(joined.length >= 2, 'gateways that join graphs are compared')
  const text = `${JSON.stringify({ gateways, results })}\n`
  if (process.env.SVC_WRITE_DOCS === '1') writeFileSync(path, text)
  else t.equal(readFileSync(path, 'utf8'), text, 'SVC_WRITE_DOCS=1 npm test -- docs/probe-pages')
  t.ok(Object.keys(results).length > 100)
  t.end()
})

t.test('each check has a page, as text and as Markdown [PRB-21]', t => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-pages-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  writeProbePages(join(folder, 'probe'))
  t.strictSame(
    readdirSync(join(folder, 'probe')).toSorted(),
    ['README.md', ...CATALOG.map(({ id }) => `${id}.md`)].toSorted(),
  )
  for (const check of CATALOG) {
    const markdown = readFileSync(join(folder, 'probe', `${check.id}.md`), 'utf8')
    const text = checkText(check)
    for (const { spec, section } of check.sources)
      for (const page of [markdown, text])
        t.ok(page.includes(section === undefined ? spec : `${spec} section ${section}`), check.id)
    t.match(
      markdown,
      /## What is sent\n\n\S[^]*## What is expected\n\n\S[^]*## Why it matters\n\n\S[^]*## Run it/,
      check.id,
    )
    t.match(
      text,
      /\nSent: \S[^]*\nExpected: \S[^]*\nWhy it matters: \S[^]*\nA finding: \S[^]*\nRun it: svc probe/,
      check.id,
    )
  }
  t.match(checkText(CATALOG.find(({ id }) => id === 'HDR-CONN')!), /\n    X-Probe-Hop: 1\n[^]*\n  ok: .*Envoy/)
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
