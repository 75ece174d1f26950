/** Replies to prompts that contain the JSON Schema of the reply. */
import t from 'tap'
import { StepBudget } from '../../../core/contract/plugin.ts'
import { promptedSchema } from '../../../plugins/llm/engine/prompted-schema.ts'
import type { Message, Mode, NeutralRequest } from '../../../plugins/llm/contract/neutral.ts'
import { compileRule } from '../../../plugins/llm/engine/rules.ts'
import { createEngine } from '../../../plugins/llm/registry/engine.ts'

const engine = createEngine()
const SCHEMA = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name'],
}
const INSTANCE = '{"name":"Jane Doe","age":30}'
const IN_FENCE = `Answer in JSON by this schema:\n\`\`\`json\n${JSON.stringify(SCHEMA, null, 2)}\n\`\`\`\nNo fence.`

function reply(text: string, more: Partial<NeutralRequest> = {}, mode: Mode = 'canned', rule?: object): string {
  const messages: Message[] = [{ role: 'user', parts: [{ type: 'text', text }] }]
  const request: NeutralRequest = {
    model: 'svc-gpt',
    system: [],
    messages,
    tools: [],
    toolChoice: 'auto',
    format: { type: 'none' },
    stop: [],
    n: 1,
    ...more,
  }
  const rules = rule === undefined ? [] : [compileRule(rule as Parameters<typeof compileRule>[0])]
  const result = engine.generate(request, { mode, rules, loremWords: 4000, steps: StepBudget.unlimited() })
  if (result.op !== 'chat') throw new Error('a reply was expected')
  return result.choices[0]!.calls[0]?.name ?? result.choices[0]!.text
}

t.test('a JSON Schema in the prompt is filled [LLM-10]', async t => {
  t.equal(reply(IN_FENCE), INSTANCE, 'in the user text')
  t.equal(reply('Who?', { system: [IN_FENCE] }), INSTANCE, 'in a system text')
  t.equal(reply(`Reply with JSON like ${JSON.stringify(SCHEMA)} please.`), INSTANCE, 'without a fence')
  t.equal(reply(IN_FENCE, { format: { type: 'json' } }), INSTANCE, 'where the format is a JSON object')
  t.equal(reply(IN_FENCE, {}, 'scripted'), INSTANCE, 'before the scripted words')
  t.equal(reply(JSON.stringify(SCHEMA), { system: ['Use JSON.'] }), INSTANCE, 'the word JSON in another text')
  t.equal(reply(IN_FENCE, { stop: [',"age"'] }), '{"name":"Jane Doe"', 'stop sequences apply')
  const results: Message[] = [
    { role: 'user', parts: [{ type: 'text', text: IN_FENCE }] },
    { role: 'assistant', parts: [{ type: 'call', id: 'c1', name: 'find', args: {} }] },
    { role: 'tool', parts: [{ type: 'result', id: 'c1', content: 'found' }] },
  ]
  t.equal(reply('', { messages: results }), INSTANCE, 'after tool results')
})

t.test('a schema in the prompt is not filled where something else says what to answer [LLM-10]', async t => {
  const own = { type: 'object', properties: { own: { const: 1 } } }
  t.equal(reply(IN_FENCE, { format: { type: 'schema', schema: own } }), '{"own":1}', 'a format with a schema')
  t.equal(reply(IN_FENCE, {}, 'echo'), `user: ${IN_FENCE}`)
  t.not(reply(IN_FENCE, {}, 'random').charAt(0), '{')
  t.equal(reply(IN_FENCE, {}, 'canned', { match: {}, reply: { text: 'by rule' } }), 'by rule')
  const find = { name: 'find_schema', description: '', schema: {} }
  t.equal(reply(IN_FENCE, { tools: [find] }), 'find_schema', 'a call')
  t.not(reply(JSON.stringify(SCHEMA)).charAt(0), '{', 'without the word JSON')
  t.not(
    reply(JSON.stringify({ $schema: 'https://json-schema.org/draft', ...SCHEMA })).charAt(0),
    '{',
    'in the schema only',
  )
  t.not(reply('Answer in JSON: {"name": "..."}').charAt(0), '{', 'without a schema')
})

t.test('the last and outermost schema counts', async t => {
  const other = { properties: { other: {} } }
  const found = (...texts: string[]): unknown => promptedSchema(['as JSON', ...texts])
  const cases: [what: string, texts: string[], expected: unknown][] = [
    ['the last of a text', [`${JSON.stringify(other)} is wrong, ${JSON.stringify(SCHEMA)} is right`], SCHEMA],
    ['the last text', [JSON.stringify(other), JSON.stringify(SCHEMA), 'question'], SCHEMA],
    ['not one within', [JSON.stringify({ properties: { inner: SCHEMA } })], { properties: { inner: SCHEMA } }],
    ['within a wrapper', [JSON.stringify({ type: 'json_schema', json_schema: { schema: SCHEMA } })], SCHEMA],
    ['among others', [JSON.stringify([1, { a: [true, null, -1.5e3] }, SCHEMA])], SCHEMA],
    ['$schema alone', ['{"$schema":"x"}'], { $schema: 'x' }],
    ['braces in prose', [`Use {name} and {"a", {{x}} as in {"b": } ${JSON.stringify(SCHEMA)} }`], SCHEMA],
    ['braces in strings', ['{"properties":{"a":{"default":"}\\"{"}}}'], { properties: { a: { default: '}"{' } } }],
    ['properties that are a list', ['{"properties":["a"]}'], undefined],
    ['without its end', ['{"properties":{"a":{}}'], undefined],
    ['a comma too many', ['{"properties":{},}'], undefined],
    ['no JSON', ["{'properties': {'a': {}}}"], undefined],
    ['too large', [JSON.stringify({ properties: { a: { description: 'x'.repeat(65_536) } } })], undefined],
  ]
  for (const [what, texts, expected] of cases) t.same(found(...texts), expected, what)
})

t.test('a prompt is searched in time in proportion to its length', async t => {
  const timeOf = (text: string): number => {
    const began = process.cpuUsage()
    promptedSchema([`JSON "properties" ${text}`])
    const { user, system } = process.cpuUsage(began)
    return user + system
  }
  for (const part of [
    '{"a":',
    '{',
    '{"',
    '{"a":[',
    '{"\\',
    '{"a":"b",',
    '{"properties":{}}',
    '{"a{',
    '[{"$schema":[',
  ]) {
    timeOf(part.repeat(20_000))
    const short = timeOf(part.repeat(20_000))
    const long = timeOf(part.repeat(200_000))
    t.ok(long < 60 * Math.max(short, 1000), `${part}: ${short} and ${long} microseconds`)
  }
})
