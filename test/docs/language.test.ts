/** Plain English: no text and no name contains a word or phrase that `language.ts` lists. */
import t from 'tap'
import { readFileSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { NAMES, PHRASES, type Rule } from '../support/language.ts'
import { root } from '../support/sources.ts'

const FOLDERS = [
  '.github',
  'backends',
  'bench',
  'bin',
  'clients',
  'core',
  'deploy',
  'docs',
  'examples',
  'packing',
  'plugins',
  'proto',
  'test',
]
const TEXTS = /\.(?:[cm]?[jt]s|tsx|md|css|ya?ml|proto|txt|html|sh|py|java|go)$/
/** Test data from other projects, and the lint rules themselves. */
const EXEMPT =
  /^test\/fixtures\/|^test\/support\/language\.ts$|^plugins\/demo-data\/records\.ts$|^packing\/.*\/node_modules\//

function filesOf(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && TEXTS.test(entry.name) && !entry.parentPath.includes('node_modules'))
    .map(entry => relative(root, join(entry.parentPath, entry.name)))
}

const files = [
  ...readdirSync(root).filter(name => TEXTS.test(name) || name === 'svc.yaml.example'),
  ...FOLDERS.flatMap(filesOf),
].filter(file => !EXEMPT.test(file))

/** Members of the reports of probes and demos, whose form is fixed, and what has their names. */
const REPORT_MEMBERS = /^(?:verdicts?|catalogue)$/i // language: these are the words
const isReportMember = (file: string, word: string): boolean =>
  /^(?:plugins|test|examples\/plugins)\/(?:console\/client\/views\/|browser\/|support\/)?(?:probe|demos)[/.-]|^test\/integration\/demos\/|^test\/programs\/demos-|^bench\/(?:demos|gateways)\/|^docs\/probe\.md$/.test(
    file,
  ) && REPORT_MEMBERS.test(word)

/** Not English. */
const PYTHON_TEST = /\bis (?:not )?None\b/g

/** Places that break a rule. A line that has to keep a word has a comment `language: <why>`. */
function violations(file: string, rules: readonly Rule[]): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const lines = (file.endsWith('.py') ? text.replaceAll(PYTHON_TEST, '') : text).split('\n')
  return lines.flatMap((line, index) =>
    line.includes('language: ')
      ? []
      : rules.flatMap(({ avoid, write }) => {
          const found = avoid.exec(line)
          return found === null || isReportMember(file, found[0])
            ? []
            : [`${file}:${index + 1} "${found[0]}": write ${write}`]
        }),
  )
}

t.test('texts [DOC-7]', async t => {
  t.ok(files.length > 1500, 'the scan finds the files')
  t.strictSame(
    files.flatMap(file => violations(file, PHRASES)),
    [],
  )
})

t.test('names [DOC-7]', async t => {
  const code = files.filter(file => /\.(?:[cm]?[jt]s|tsx)$/.test(file))
  t.strictSame(
    code.flatMap(file => violations(file, NAMES)),
    [],
  )
  t.strictSame(
    files.filter(file => NAMES.some(({ avoid }) => file.split(/[/.-]/).some(part => avoid.test(part)))),
    [],
    'names of files',
  )
})
