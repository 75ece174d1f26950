/** What makes replies of any size cheap: tokens and events that are made as they are read, and bounds on what multiplies. */
import t from 'tap'
import { OutputBudget, StepBudget } from '../../../core/contract/plugin.ts'
import { createEngine } from '../../../plugins/llm/registry/engine.ts'
import { firstPieces, joined, piecesOf } from '../../../plugins/llm/engine/pieces.ts'
import { fromSchema } from '../../../plugins/llm/engine/schema-value.ts'
import { pieces } from '../../../plugins/llm/engine/tokens.ts'
import type { NeutralRequest } from '../../../plugins/llm/contract/neutral.ts'
import type { StreamEvent } from '../../../plugins/llm/contract/stream.ts'
import { breakAt } from '../../../plugins/llm/streaming/break-point.ts'
import { chatResultOf, readReply } from '../../../plugins/llm/testing/reply.ts'

const MIB = 1024 * 1024

t.test('the tokens of a long text are those of a short one, made as they are read [HARD-30]', async t => {
  const units = [
    'hello there, ',
    'a',
    ' ',
    '   x',
    '\u6f22\u5b57 ',
    '\u{1d4b3}\u{1d4b4}z ',
    '\ud835',
    '....',
    '\u00e91 \n',
  ]
  for (const unit of units) {
    const text = unit.repeat(50_000 / unit.length)
    const all = piecesOf(text)
    const listed = pieces(text)
    t.notOk(Array.isArray(all))
    t.equal(all.length, listed.length, JSON.stringify(unit))
    t.same([...all], listed)
    t.equal(joined(all), text)
    for (const most of [0, 1, 100, listed.length, listed.length + 1]) {
      const first = firstPieces(all, most)
      t.equal(joined(first), listed.slice(0, most).join(''))
      t.equal(first.length, Math.min(most, listed.length))
    }
  }
})

t.test('a stream is read ahead only as far as the point at which it breaks [HARD-30]', async t => {
  let made = 0
  function* events(tokens: number): Iterable<StreamEvent> {
    for (let token = 0; token < tokens; token++) {
      made += 1
      yield { data: String(token), paced: true }
    }
    yield { data: 'end' }
  }
  const at = (afterTokens: number, tokens: number): ReturnType<typeof breakAt> => {
    made = 0
    return breakAt(events(tokens), { what: 'disconnect', afterTokens }, tokens)
  }
  t.match(at(5, 100).breaksAfter, { afterTokens: 5, isLast: false })
  t.equal(made, 6)
  t.match(at(5, 5).breaksAfter, { afterTokens: 5, isLast: true })
  t.equal(at(5, 4).breaksAfter, undefined)
  t.equal([...at(5, 100).events].length, 101, 'no event is lost')
  t.match(at(1_000_000, 2_000_000).breaksAfter, { afterTokens: 1_000_000 })
  t.ok(made < 10_000)
  t.equal(at(3_000_000, 2_000_000).breaksAfter, undefined)
  t.ok(made < 10_000)
})

const request: NeutralRequest = {
  model: 'svc-gpt',
  system: [],
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'x'.repeat(100_000) }] }],
  tools: [],
  toolChoice: 'auto',
  format: { type: 'none' },
  stop: [],
  n: 8,
}

t.test('each choice of the engine is paid for [HARD-30]', async t => {
  const { generate } = createEngine()
  const echo = (output: OutputBudget): ReturnType<typeof generate> =>
    generate(request, { mode: 'echo', loremWords: 1, steps: StepBudget.unlimited(), output })
  const output = new OutputBudget(MIB)
  echo(output)
  t.equal(output.used, 8 * ('user: '.length + 100_000))
  t.throws(() => echo(new OutputBudget(800_000)), { code: 'SVC_OUTPUT_TOO_LARGE' })
})

t.test('a template is measured before it is filled [HARD-30]', async t => {
  const filled = async (reply: object, limit: number): Promise<OutputBudget> => {
    const read = readReply(reply as never, '')
    if (read.kind !== 'chat') throw new Error('a chat was expected')
    const output = new OutputBudget(limit)
    const parsed = { op: 'chat' as const, model: 'm', request, wire: null }
    const result = await chatResultOf(read, parsed, { lookUp: () => undefined, output, ignore() {} })
    t.equal(result.choices.length, 8)
    return output
  }
  const output = await filled({ text: '{{prompt}}', tool_calls: [{ name: 'f', args: { a: '{{prompt}}' } }] }, 2 * MIB)
  t.ok(output.used >= 1_600_000 && output.used < 1_601_000, String(output.used))
  const calls = Array.from({ length: 50 }, () => ({ name: 'f', args: Array.from({ length: 100 }, () => '{{prompt}}') }))
  await t.rejects(filled({ tool_calls: calls }, 16 * MIB), { code: 'SVC_OUTPUT_TOO_LARGE' })
})

t.test('a schema that repeats its parts makes a value of bounded work [HARD-30]', async t => {
  const big = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`p${at}`, {}]))
  const merged = {
    allOf: Array.from({ length: 10_000 }, () => ({ $ref: '#/$defs/b' })),
    $defs: { b: { properties: big } },
  }
  t.equal(fromSchema(merged, 'hello'), null)
  const list = {
    type: 'array',
    minItems: 20,
    items: { type: 'array', minItems: 20, items: { enum: Object.keys(big) } },
  }
  t.ok(Array.isArray(fromSchema(list, 'hello')))
  t.match(fromSchema({ properties: { city: { type: 'string' } } }, 'weather in New York'), { city: 'New York' })
})
