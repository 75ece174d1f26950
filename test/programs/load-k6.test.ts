/** k6 loads the routes of models, as `docs/frameworks.md` shows. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { serve } from '../support/server.ts'
import { findProgram } from './support/program.ts'

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'frameworks.md')
const COMMAND = /^\$ curl -s -o llm\.js '(?<script>[^']+)' && k6 (?<args>run .+) llm\.js$/m
const ITERATIONS = 40

const k6 = findProgram('k6', ['version'])
const isMissing = typeof k6 === 'string'

t.test(`${isMissing ? 'k6' : k6.title} repeats requests of models`, { skip: isMissing && k6 }, async t => {
  t.setTimeout(0)
  if (isMissing) return
  const { script = '', args = '' } = COMMAND.exec(readFileSync(PAGE, 'utf8'))?.groups ?? {}
  const server = await serve(t, { oneProcess: 'the load generator is one client' })
  const folder = mkdtempSync(join(tmpdir(), 'svc-load-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const text = await (await fetch(script.replace('http://localhost:8080', server.url))).text()
  writeFileSync(join(folder, 'llm.js'), text)
  const { code, output } = await k6.run([...args.split(' '), 'llm.js'], { cwd: folder })
  t.equal(code, 0, output.slice(-3000))
  t.match(output, /http_req_failed[.: ]+0\.00%/, 'no documented status is a failure')
  t.match(output, new RegExp(`\\biterations[.: ]+${ITERATIONS}\\b`))
})
