/** The fields of the request context are grouped by owner: each group names the files that write its fields. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import t from 'tap'

const CORE = join(import.meta.dirname, '..', '..', '..', 'core')
const OWN = 'http/request/context.ts'

interface Group {
  fields: string[]
  writers: string[]
}

/** The groups of the class. */
function groupsOf(source: string): Group[] {
  const body = source.slice(source.indexOf('export class RequestContext'), source.indexOf('  readonly #activity'))
  return body
    .split('// ---------- ')
    .slice(1)
    .map(text => ({
      writers: [...text.slice(0, text.indexOf('\n\n')).matchAll(/[\w/.-]+\.ts\b/g)].map(([file]) => file),
      fields: [...text.matchAll(/^ {2}(?:readonly )?([a-zA-Z]+)(?:: | = )/gm)].map(([, field]) => field!),
    }))
}

/** What code calls a context, and the objects in the queue of response timeouts. */
const OBJECTS = String.raw`(?:context|caller|waiting|contextOf\([^()]*\))`
const QUEUED = String.raw`(?:request|next|previous|this\.#last)`

/** The fields that a file writes. */
function writtenBy(file: string, source: string): Set<string> {
  const isQueue = file === 'http/request/header-deadlines.ts'
  const pattern = new RegExp(String.raw`(?<![\w.])${isQueue ? QUEUED : OBJECTS}\.(\w+) (?:\?\?|\|\||&&|[+-])?= `, 'g')
  return new Set([...source.matchAll(pattern)].map(([, field]) => field!))
}

const files = readdirSync(CORE, { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile() && entry.name.endsWith('.ts'))
  .map(entry => relative(CORE, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
const sources = new Map(files.map(file => [file, readFileSync(join(CORE, file), 'utf8')]))

t.test('only the files that a group names write its fields', async t => {
  const groups = groupsOf(sources.get(OWN)!)
  t.ok(groups.length > 8 && groups.flatMap(({ fields }) => fields).length > 50, 'the groups are read')
  t.ok(groups[0]!.writers.length === 0, 'what arrived has no writer')
  const isContext = /\bRequestContext\b|\bcontextOf\b|\bWaiting\b/
  const problems: string[] = []
  const writes = [...sources]
    .filter(([file, source]) => file !== OWN && isContext.test(source))
    .map(([file, source]) => ({ file, fields: writtenBy(file, source) }))
  for (const { fields, writers } of groups) {
    for (const { file, fields: written } of writes)
      for (const field of fields)
        if (written.has(field) && !writers.includes(file)) problems.push(`${file} writes ${field}`)
    for (const writer of writers)
      if (!writes.some(({ file, fields: written }) => file === writer && fields.some(field => written.has(field))))
        problems.push(`${writer} is named, but writes none of ${fields.join(', ')}`)
  }
  t.strictSame(problems, [])
})

t.test('writes are recognized', async t => {
  const source = `context.lease = x; contextOf(request).trace ??= y; context.bytesSent += 1; if (context.status === 1) z`
  t.strictSame([...writtenBy('a.ts', source)], ['lease', 'trace', 'bytesSent'])
})
