/**
 * Every regular expression is checked for more than linear time (`recheck`, by automata and by searching for an
 * attack). Results are cached below `node_modules/.cache`: the first run takes 15 seconds.
 */
import t from 'tap'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { check } from 'recheck'
import { collectRegularExpressions } from '../../support/regular-expressions.ts'
import { sourceFiles } from '../../support/sources.ts'

t.setTimeout(600_000)

/** Literals that the checker cannot decide, or that match a bounded text, with the bound. */
const BOUNDED: { pattern: string; flags: string; bound: string }[] = []

/** Expressions built at run time: their form, or the bound of the text. */
const BUILT: { file: string; begins: string; samples?: [pattern: string, flags: string][]; bound?: string }[] = [
  {
    file: 'core/http/response/xml.ts',
    begins: 'new RegExp(`[&<>"\'\\\\r${FORBIDDEN}]`',
    samples: [['[&<>"\'\\r\\0-\\x08]', 'gu']],
  },
  {
    file: 'core/http/response/xml.ts',
    begins: 'new RegExp(`[&<>"\'\\\\r\\\\t\\\\n${FORBIDDEN}]`',
    samples: [['[&<>"\'\\r\\t\\n\\0-\\x08]', 'gu']],
  },
  {
    file: 'core/toolkit/path-template.ts',
    begins: 'new RegExp(`^${templatePattern(template)}$`)',
    bound: "paths of the catalog's examples, and paths of requests of at most 2000 characters",
  },
  {
    file: 'core/http/routes/route-table.ts',
    begins: "new RegExp(`^${templatePattern(template)}$`, 's')",
    samples: [
      ['^\\/a2a\\/([^/]*)\\/v1\\/tasks\\/([^/]*):cancel$', 's'],
      ['^\\/ai\\/v1beta\\/models\\/([^/]*):streamGenerateContent$', 's'],
      ['^\\/mocks\\/([^/]*)\\/(.*)$', 's'],
    ],
  },
  {
    file: 'core/http/routes/exemptions.ts',
    begins: 'new RegExp(`^${templatePattern(path, ',
    samples: [['^\\/oauth\\/i\\/([^/]+)\\/jwks$', '']],
  },
  {
    file: 'core/http/routes/familiar-paths.ts',
    begins: 'new RegExp(`^${templatePattern(path, ',
    samples: [
      ['^\\/v1\\/files\\/([^/]+)\\/content$', 's'],
      ['^\\/v1beta\\/models\\/([^/]+):generateContent$', 's'],
      ['^\\/openai\\/(.+)$', 's'],
    ],
  },
  {
    file: 'plugins/llm/registry/router-path.ts',
    begins: 'new RegExp(`^${templatePattern(rest',
    samples: [
      ['^(.+):embedContent$', 's'],
      ['^(.*)\\/converse$', 's'],
      ['^(.*)\\/invoke\\-with\\-response\\-stream$', 's'],
    ],
  },
  {
    file: 'plugins/llm/engine/older-rules.ts',
    begins: "new RegExp(regex, 'iu')",
    bound: "the operator's own pattern, on the first 4096 characters",
  },
  {
    file: 'plugins/mcp/registry/schema.ts',
    begins: "new RegExp(pattern, 'u')",
    bound: 'compiled only, for the schema of a tool of a plugin or of svc.yaml',
  },
  {
    file: 'core/fields/incremental.ts',
    begins: 'new RegExp(`^ *\\\\?1',
    samples: [
      [
        '^ *\\?1(?:; *[a-z*][a-z0-9_.*-]*(?:=(?:@?-?\\d{1,15}(?:\\.\\d{1,3})?|%?"(?:[ !#-\\[\\]-~]|\\\\["\\\\])*"|:[A-Za-z0-9+/]*={0,2}:|\\?[01]|[A-Za-z*][A-Za-z0-9!#$%&\'*+.^_`|~:/-]*))?)* *$',
        '',
      ],
    ],
  },
  {
    file: 'core/fields/http-date.ts',
    begins: 'new RegExp(`^${DAY}, (?<day>\\\\d\\\\d) ',
    samples: [
      [
        '^(?:Mon|Sun), (?<day>\\d\\d) (?<month>Jan|Feb) (?<year>\\d{4}) (?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d) GMT$',
        '',
      ],
    ],
  },
  {
    file: 'core/fields/http-date.ts',
    begins: 'new RegExp(`^${LONG_DAY}',
    samples: [
      [
        '^(?:Monday|Sunday), (?<day>\\d\\d)-(?<month>Jan|Feb)-(?<year>\\d\\d) (?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d) GMT$',
        '',
      ],
    ],
  },
  {
    file: 'core/fields/http-date.ts',
    begins: 'new RegExp(`^${DAY} ${MONTH}',
    samples: [
      [
        '^(?:Mon|Sun) (?<month>Jan|Feb) (?<day>[ \\d]\\d) (?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d) (?<year>\\d{4})$',
        '',
      ],
    ],
  },
  {
    file: 'plugins/mocks/schema/pattern-text.ts',
    begins: 'new RegExp(`\\\\p{',
    samples: [
      ['\\p{L}', 'u'],
      ['\\p{Script=Greek}', 'u'],
    ],
  },
  {
    file: 'plugins/console/client/views/mcp/oauth-steps.ts',
    begins: 'new RegExp(`\\\\b${name}=',
    samples: [['\\bresource_metadata="([^"]*)"', '']],
  },
]

const require = createRequire(import.meta.url)
const CACHE = join(dirname(require.resolve('recheck/package.json')), '..', '.cache', 'svc-regular-expressions.json')
const { version } = require('recheck/package.json') as { version: string }

function readSafe(): Set<string> {
  try {
    return new Set(JSON.parse(readFileSync(CACHE, 'utf8')) as string[])
  } catch {
    return new Set()
  }
}

const safe = readSafe()

/** The problem of an expression; null if it is safe. */
async function problemOf(pattern: string, flags: string): Promise<string | null> {
  const key = `${version} /${pattern}/${flags}`
  if (safe.has(key)) return null
  const result = await check(pattern, flags, { timeout: 20_000 })
  if (result.status === 'vulnerable')
    return `${result.complexity.summary}, attacked by ${result.attack.pattern.slice(0, 200)}`
  if (result.status === 'unknown') return `undecided (${result.error.kind})`
  safe.add(key)
  return null
}

const { literals, builtAtRunTime } = collectRegularExpressions()

t.test('the scan finds all expressions', async t => {
  t.ok(literals.length > 300, `${literals.length} literals`)
  const places = literals.flatMap(literal => literal.places).join('\n')
  for (const kind of [/^core\/.*\.ts:/m, /^plugins\/.*\.ts:/m, /^plugins\/.*\.tsx:/m]) t.match(places, kind)
  t.ok(
    sourceFiles().some(file => file.endsWith('.mjs')),
    'JavaScript of the product is checked, too',
  )
  t.match(await problemOf('^(a+)+$', ''), /exponential/)
  t.match(await problemOf('[ \\t]+$', ''), /polynomial/)
})

t.test('no literal takes more than linear time [HARD-11]', async t => {
  const unused = new Set(BOUNDED)
  for (const { pattern, flags, places } of literals) {
    const bounded = BOUNDED.find(entry => entry.pattern === pattern && entry.flags === flags)
    if (bounded !== undefined) unused.delete(bounded)
    else t.equal(await problemOf(pattern, flags), null, `/${pattern}/${flags} in ${places.join(', ')}`)
  }
  t.strictSame([...unused], [], 'no exception without a literal')
})

t.test('no expression built at run time takes more than linear time [HARD-11]', async t => {
  const unused = new Set(BUILT)
  for (const { file, built } of builtAtRunTime) {
    const entry = BUILT.find(candidate => candidate.file === file && built.startsWith(candidate.begins))
    if (!t.ok(entry, `${file}: ${built} is in the list, with samples or a bound`) || entry === undefined) continue
    unused.delete(entry)
    t.ok((entry.samples?.length ?? 0) > 0 || entry.bound !== undefined, `${file}: samples or a bound`)
    for (const [pattern, flags] of entry.samples ?? [])
      t.equal(await problemOf(pattern, flags), null, `/${pattern}/${flags} in ${file}`)
  }
  t.strictSame([...unused], [], 'no entry without a place')
})

t.teardown(() => {
  mkdirSync(dirname(CACHE), { recursive: true })
  writeFileSync(CACHE, JSON.stringify([...safe]))
})
