/**
 * The anonymizer answers as Presidio's own does. [GUARD-23]
 * `SVC_TEST_PYTHON` names an interpreter with `presidio-anonymizer`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { serve } from '../support/server.ts'
import { findProgram } from './support/program.ts'

const SCRIPT = join(import.meta.dirname, 'presidio', 'anonymize.py')
const CASES = 300

interface Case {
  text: string
  analyzer_results: { start: number; end: number; entity_type: string; score: number }[]
  anonymizers?: Record<string, object>
}

interface Answer {
  text?: string
  items?: { start: number; end: number; entity_type: string; text: string; operator: string }[]
}

const one = (anonymizer: object): Case => ({
  text: 'abcdefghij',
  analyzer_results: [{ start: 0, end: 5, entity_type: 'A', score: 0.5 }],
  anonymizers: { A: anonymizer },
})

const OPERATORS: readonly Case[] = [
  one({ type: 'replace', new_value: 'x' }),
  one({ type: 'replace', new_value: '' }),
  one({ type: 'redact' }),
  one({ type: 'keep' }),
  one({ type: 'mask', masking_char: '*', chars_to_mask: 3, from_end: true }),
  one({ type: 'mask', masking_char: '*', chars_to_mask: 9, from_end: false }),
  one({ type: 'mask', masking_char: '**', chars_to_mask: 3, from_end: true }),
  one({ type: 'mask', masking_char: '*' }),
  one({ type: 'hash', salt: '0123456789abcdef' }),
  one({ type: 'hash', hash_type: 'sha512', salt: '0123456789abcdef' }),
  one({ type: 'hash', salt: 'short' }),
  one({ type: 'hash', hash_type: 'md5' }),
  one({ type: 'nope' }),
  { ...one({ type: 'keep' }), analyzer_results: [{ start: 0, end: 50, entity_type: 'A', score: 0.5 }] },
]

/** Cases with overlapping results, the same in every run. */
function overlapping(count: number): Case[] {
  let state = 7
  const draw = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
  return Array.from({ length: count }, () => {
    const points = Array.from({ length: 3 + draw(18) }, () => ['a', 'b', ' ', ' ', '😀'][draw(5)]!)
    const results = Array.from({ length: 1 + draw(6) }, () => {
      const start = draw(points.length)
      const end = start + 1 + draw(points.length - start)
      return { start, end, entity_type: 'ABC'[draw(3)]!, score: [0.1, 0.5, 0.9][draw(3)]! }
    })
    const type = ['keep', 'redact', 'replace'][draw(3)]!
    return { text: points.join(''), analyzer_results: results, anonymizers: { A: { type } } }
  })
}

const python = findProgram(process.env.SVC_TEST_PYTHON ?? 'python3')
const cwd = import.meta.dirname
const isThere =
  typeof python !== 'string' && (await python.run(['-c', 'import presidio_anonymizer'], { cwd })).code === 0
const skip = typeof python === 'string' ? python : !isThere && 'no presidio-anonymizer here (SVC_TEST_PYTHON)'

t.test('the anonymizer', { skip }, async t => {
  if (typeof python === 'string') return
  t.setTimeout(0)
  const server = await serve(t, { plugins: ['guardrails'] })
  const folder = mkdtempSync(join(tmpdir(), 'svc-presidio-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const cases = [...OPERATORS, ...overlapping(CASES)]
  writeFileSync(join(folder, 'cases'), cases.map(given => `${JSON.stringify(given)}\n`).join(''))
  const { code, output } = await python.run([SCRIPT, join(folder, 'cases')], { cwd: folder })
  if (!t.equal(code, 0, output.slice(-2000))) return
  const answers = output
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line) as Answer)
  t.equal(answers.length, cases.length)
  for (const [index, given] of cases.entries()) {
    const response = await fetch(`${server.url}/guardrails/presidio/anonymize`, {
      method: 'POST',
      body: JSON.stringify(given),
    })
    const { text, items } = (await response.json()) as Answer
    const theirs = answers[index]!
    if (theirs.text === undefined) t.equal(response.status, 422, JSON.stringify(given))
    else
      t.strictSame(
        { text, items },
        {
          text: theirs.text,
          items: theirs.items!.map(({ start, end, entity_type, text: item, operator }) => ({
            start,
            end,
            entity_type,
            text: item,
            operator,
          })),
        },
        JSON.stringify(given),
      )
  }
})
