/** docs/README.md lists the request headers that act on every route: those that stages of the pipeline read. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const PIPELINE = join(ROOT, 'core', 'http', 'pipeline')
/** Credentials, which other tables list. */
const CREDENTIALS = ['x-svc-admin-token', 'x-svc-key']

t.test('the table of headers on every route has those that stages read [ANSWER-10]', async t => {
  const stages = readdirSync(join(PIPELINE, 'stages')).map(file => join('stages', file))
  // What a stage has in common with the responses of plugins.
  const sources = [...stages, join('rules', 'answering.ts')].map(file => readFileSync(join(PIPELINE, file), 'utf8'))
  const read = new Set(sources.flatMap(source => [...source.matchAll(/'(x-svc-[a-z-]+)'/g)].map(([, name]) => name!)))
  const [, section] = readFileSync(join(ROOT, 'docs', 'README.md'), 'utf8').split('## Headers on every route\n')
  const rows = section!
    .split('\n## ', 1)[0]!
    .split('\n')
    .filter(line => line.startsWith('| `'))
  const listed = rows.map(row => /^\| `([A-Za-z-]+)/.exec(row)![1]!.toLowerCase())
  t.same(
    listed.filter(name => name.startsWith('x-svc-')).toSorted(),
    [...read, 'x-svc-session'].filter(name => !CREDENTIALS.includes(name)).toSorted(),
  )
})
