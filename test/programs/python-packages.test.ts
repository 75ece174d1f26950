/**
 * The vendors' Python packages and LiteLLM: their conversations are not refused, refusals raise their own exceptions, and what they
 * make of hard streams is in a table.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { serve } from '../support/server.ts'
import { DIFFERENT, PLAIN, SHAPES } from './support/python-readers.ts'
import type { Program } from './support/program.ts'
import { pythonWith } from './support/python.ts'

t.setTimeout(0)
const LOOPS = join(import.meta.dirname, 'loops')
const PACKAGES = ['openai', 'anthropic', 'google.genai', 'litellm']

const python = await pythonWith(PACKAGES)
const skip = typeof python === 'string' && python

/** The last line that a script prints, as JSON. */
async function printed(script: string, args: string[]): Promise<unknown> {
  const cwd = mkdtempSync(join(tmpdir(), 'svc-python-'))
  try {
    // Only the output counts: warnings are on standard error, which comes last.
    const code = `import runpy, sys; sys.stderr = open('errors.txt', 'w'); sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')`
    const { output } = await (python as Program).run(['-W', 'ignore', '-c', code, join(LOOPS, script), ...args], {
      cwd,
    })
    const line = output.split('\n').findLast(text => text.startsWith('{'))
    if (line === undefined) throw new Error(output.slice(-3000))
    return JSON.parse(line)
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}

t.test('conversations are not refused, and refusals raise exceptions [STR-43, STR-44]', { skip }, async t => {
  const server = await serve(t, { env: { SVC_AI_VALIDATION: 'enforce' } })
  const { raised, calls } = (await printed('enforced.py', [`${server.url}/ai`])) as { raised: object; calls: number }
  t.strictSame(raised, {
    chat: ['invalid_request_error', 'messages.[0].role'],
    responses: ['invalid_request_error', 'input'],
    messages: ['invalid_request_error', null],
    gemini: ['INVALID_ARGUMENT', null],
  })
  t.ok(calls > 6, `${calls} calls of tools`)
  const { requests } = (await (await fetch(`${server.url}/ai/requests?limit=200`)).json()) as {
    requests: { status: number; violations: string[] }[]
  }
  t.strictSame(
    requests.flatMap(({ violations }) => violations).sort(),
    ['anthropic.result-orphan', 'gemini.role', 'openai.tool-orphan', 'responses.output-orphan'],
    'only what is meant to be refused',
  )
})

t.test('what they make of hard streams [STR-31]', { skip }, async t => {
  const server = await serve(t)
  const made = (await printed('hard-streams.py', [`${server.url}/ai`, JSON.stringify(['', ...SHAPES])])) as Record<
    string,
    Record<string, string>
  >
  t.strictSame(Object.keys(made).sort(), Object.keys(PLAIN).sort())
  for (const [name, ofShapes] of Object.entries(made))
    for (const [shape, result] of Object.entries(ofShapes)) {
      const wanted = [DIFFERENT[shape]?.[name] ?? PLAIN[name]!].flat()
      t.ok(wanted.includes(result), `${name}: ${shape || 'plain'}: ${result}`)
    }
})
