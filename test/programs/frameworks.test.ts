/** The Python examples of `docs/frameworks.md`, each skipped where its package is missing. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { serve } from '../support/server.ts'
import { findProgram } from './support/program.ts'

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'frameworks.md')
/** `SVC_TEST_PYTHON` is the interpreter of an environment with the packages. */
const interpreter = process.env.SVC_TEST_PYTHON ?? 'python3'
const python = findProgram(interpreter)
const examples = [...readFileSync(PAGE, 'utf8').matchAll(/^(.+), package `([^`]+)`:\n\n```python\n([\s\S]*?)^```$/gm)]

t.ok(examples.length >= 8, 'the page has an example for each framework')
for (const [, name = '', distribution = '', code = ''] of examples) {
  const version = versionOf(distribution)
  t.test(
    `${name}: ${distribution} ${version ?? ''} gets a reply`,
    { skip: version === null && `no Python package ${distribution} here` },
    async t => {
      t.setTimeout(0)
      if (typeof python === 'string') return
      const server = await serve(t, { oneProcess: 'the framework is one client' })
      const folder = mkdtempSync(join(tmpdir(), 'svc-framework-'))
      t.teardown(() => rmSync(folder, { recursive: true, force: true }))
      writeFileSync(join(folder, 'example.py'), code.replaceAll('http://localhost:8080', server.url))
      const { code: status, output } = await python.run(['example.py'], {
        cwd: folder,
        env: { CREWAI_DISABLE_TELEMETRY: 'true', OTEL_SDK_DISABLED: 'true', OPENAI_API_KEY: 'demo', HOME: folder },
      })
      t.equal(status, 0, output.slice(-3000))
      t.match(output, /\w/)
      const { requests } = (await (await fetch(`${server.url}/ai/requests`)).json()) as {
        requests: { status: number }[]
      }
      t.strictSame([...new Set(requests.map(({ status: answered }) => answered))], [200], 'svc replied')
    },
  )
}

/** The installed version of a Python distribution; null without it. */
function versionOf(distribution: string): string | null {
  if (typeof python === 'string') return null
  try {
    const script = `import importlib.metadata as m; print(m.version("${distribution}"))`
    return execFileSync(interpreter, ['-c', script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return null
  }
}
