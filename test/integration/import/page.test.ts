/** The tables of docs/coming-over.md: each row is shown by files that are imported. Takes long: every row is imported. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { PRODUCT_FOLDER } from '../../../core/product.ts'
import { IMPORT_FIXTURES, importInto } from '../../support/imports/imported.ts'

const SECTIONS = {
  WireMock: 'wiremock',
  MockServer: 'mockserver',
  Mockoon: 'mockoon',
  Postman: 'postman',
  'llm-d-inference-sim': 'llm-d-sim',
}
const SEVERITIES = ['disabled', 'lost', 'changed', 'skipped']
/** Words of the tables that are not members. */
const EXAMPLES = new Set(['!value', '!name', '?name'])

const page = readFileSync(join(PRODUCT_FOLDER, 'docs', 'coming-over.md'), 'utf8')

function rowsOf(title: string): { from: string; to: string }[] {
  const section = page.split(`\n## ${title}\n`)[1]!.split('\n## ', 1)[0]!
  return section
    .split('\n')
    .filter(line => line.startsWith('|') && !line.startsWith('|---'))
    .slice(1)
    .map(line => {
      const [, from = '', to = ''] = line.split(/(?<!\\)\|/)
      return { from, to }
    })
}

const words = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word!)

function textOf(path: string): string {
  if (!existsSync(path)) return ''
  if (!statSync(path).isDirectory()) return readFileSync(path, 'latin1')
  return readdirSync(path)
    .map(name => `${name}\n${textOf(join(path, name))}`)
    .join('\n')
}

for (const [title, kind] of Object.entries(SECTIONS))
  t.test(`the table of ${title}`, async t => {
    const folders = [kind, `${kind}-odd`].map(name => join(IMPORT_FIXTURES, name)).filter(existsSync)
    const given = folders.map(textOf).join('\n')
    let written = ''
    const severities = new Set<string>()
    for (const folder of folders) {
      const imported = await importInto(t, [folder])
      written += textOf(join(imported.folder, 'rules')) + imported.read('svc.yaml')
      for (const { severity } of imported.report().findings) severities.add(severity)
    }
    const rows = rowsOf(title)
    t.ok(rows.length > 3, `${rows.length} rows`)
    for (const { from, to } of rows) {
      for (const word of words(from).filter(one => !EXAMPLES.has(one)))
        t.ok(given.includes(word), `${word} is in the files: ${from}`)
      for (const word of words(to))
        t.match(written, new RegExp(`(?:^|[^\\w-])${word}:`, 'm'), `${word} is written: ${from}`)
      for (const word of SEVERITIES.filter(one => new RegExp(`\\b${one}\\b`, 'i').test(to)))
        t.ok(severities.has(word), `${word} is found: ${from}`)
    }
  })

t.test('a disabled, lost or skipped row names what has such a finding', async t => {
  for (const kind of ['wiremock', 'mockserver', 'mockoon'] as const) {
    const title = Object.entries(SECTIONS).find(([, one]) => one === kind)![0]
    const { findings } = (await importInto(t, [join(IMPORT_FIXTURES, `${kind}-odd`)])).report()
    for (const { from, to } of rowsOf(title)) {
      const severity = /^\s*(disabled|lost|skipped)\s*$/.exec(to)?.[1]
      if (severity === undefined) continue
      for (const word of words(from)) {
        const isFound = findings.some(
          finding =>
            finding.severity === severity &&
            `${finding.at} ${finding.message}`.toLowerCase().includes(word.toLowerCase()),
        )
        t.ok(isFound, `${severity}: ${word}`)
      }
    }
  }
})
