/**
 * What it costs to check a request, relative to parsing its JSON at the same moment.
 *
 * Measures: the processor time of both.
 */
import t from 'tap'
import { chatValidation } from '../../../plugins/llm-openai/validation/chat-checks.ts'
import { createEngine } from '../../../plugins/llm/registry/engine.ts'
import { Validator } from '../../../plugins/llm/validation/validator.ts'

const ROUNDS = 12
const validation = chatValidation(createEngine(), { flavour: 'openai' })
const validator = new Validator({ option: undefined, level: 'warn', warn() {}, report() {} })
validator.add(validation)
const fields = new Set<string>()

/** A request of an agent: ten tools, and twenty calls with their results. */
const agent = {
  model: 'gpt-4o',
  tools: Array.from({ length: 10 }, (_, index) => ({
    type: 'function',
    function: {
      name: `tool_${index}`,
      description: 'Reads a part of a file',
      parameters: {
        type: 'object',
        properties: {
          path: { type: 'string' },
          lines: { type: 'array', items: { type: 'integer' } },
          options: { type: 'object', properties: { encoding: { enum: ['utf8', 'latin1'] } } },
        },
      },
    },
  })),
  messages: [
    { role: 'system', content: 'You are a coding agent.' },
    { role: 'user', content: 'Fix the test.' },
    ...Array.from({ length: 20 }, (_, index) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: `call_${index}`, type: 'function', function: { name: 'tool_0', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: `call_${index}`, content: 'const answer = 42\n'.repeat(20) },
    ]).flat(),
  ],
}

/** The processor time of the best round: other work on the machine only adds to it. */
function timesOf(works: readonly (() => void)[], repeats: number): number[] {
  const best = works.map(() => Infinity)
  for (let round = 0; round < ROUNDS; round++)
    works.forEach((work, index) => {
      const before = process.cpuUsage()
      for (let repeat = 0; repeat < repeats; repeat++) work()
      const { user, system } = process.cpuUsage(before)
      best[index] = Math.min(best[index]!, user + system)
    })
  return best
}

t.test('checking a request costs less than parsing it [STR-41]', async t => {
  const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }], stream: false }
  for (const [name, body, repeats] of [
    ['chat completion', chat, 20_000],
    ['agent', agent, 500],
  ] as const) {
    const text = JSON.stringify(body)
    const check = (): unknown =>
      validator.find(validation, { path: '/', body, bytes: text.length, headers: {}, params: {}, fields })
    t.strictSame(check(), [], 'nothing is violated')
    const [checked, parsed] = timesOf([check, () => JSON.parse(text) as unknown], repeats) as [number, number]
    t.ok(checked < parsed, `${name}: ${(checked / parsed).toFixed(2)} of the time of JSON.parse`)
    t.comment(`${name}: ${(checked / repeats).toFixed(2)} µs, JSON.parse ${(parsed / repeats).toFixed(2)} µs`)
  }
})
