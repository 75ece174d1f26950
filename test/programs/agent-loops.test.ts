/** Agent frameworks of npm at the level `enforce`, each skipped where it is missing: their loops are not refused. */
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { serve } from '../support/server.ts'
import { findProgram, MODULES } from './support/program.ts'

const LOOPS = join(import.meta.dirname, 'loops')
/** The scripts of `loops/`, with the packages that they import. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  'openai-agents.mjs': ['@openai/agents', 'openai', 'zod'],
  'langchain.mjs': ['langchain', '@langchain/openai', '@langchain/anthropic', '@langchain/google-genai', 'zod'],
}

for (const [script, packages] of Object.entries(SCRIPTS)) {
  const missing = packages.filter(name => !existsSync(join(MODULES, name)))
  const skip = missing.length > 0 && `no ${missing.join(', ')} here (npm run test:programs installs them)`
  t.test(`${script}: tools over several turns are not refused`, { skip }, async t => {
    t.setTimeout(0)
    const node = findProgram(process.execPath)
    if (typeof node === 'string') return t.fail(node)
    const server = await serve(t, { env: { SVC_AI_VALIDATION: 'enforce' } })
    const folder = mkdtempSync(join(tmpdir(), 'svc-loop-'))
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    cpSync(join(LOOPS, script), join(folder, script))
    symlinkSync(MODULES, join(folder, 'node_modules'))
    const { code, output } = await node.run([script, server.url], { cwd: folder })
    t.equal(code, 0, output.slice(-3000))
    const { calls } = JSON.parse(output.trim().split('\n').at(-1)!) as { calls: number }
    t.ok(calls > 3, `${calls} calls of tools`)
    const { requests } = (await (await fetch(`${server.url}/ai/requests?limit=200`)).json()) as {
      requests: { status: number; violations: string[] }[]
    }
    t.ok(requests.length > 10)
    t.strictSame(
      requests.filter(({ status, violations }) => status !== 200 || violations.length > 0),
      [],
    )
    return undefined
  })
}
