/** What rules of vendors look at: classes of models, signatures and schemas. */
import t from 'tap'
import { createMetrics } from '../../../plugins/llm/records/metrics.ts'
import { readThought, signThought } from '../../../plugins/llm/engine/thought-signature.ts'
import { modelClasses } from '../../../plugins/llm/validation/model-classes.ts'
import { walkSchema } from '../../../plugins/llm/validation/schema-walk.ts'
import { Validator } from '../../../plugins/llm/validation/validator.ts'

t.test('classes of models [STR-14]', async t => {
  const table: Record<string, readonly string[]> = {
    'gpt-4o': ['plain'],
    'gpt-4o-2024-08-06': ['plain'],
    'gpt-5-chat-latest': ['plain'],
    'chatgpt-4o-latest': ['plain'],
    o1: ['o'],
    'openai/o4-mini': ['o'],
    'gpt-5-nano-2025-08-07': ['gpt5'],
    'gpt-5.5': ['gpt5.1+'],
    'gpt-6-sol': ['gpt5.1+'],
    'gpt-oss-120b': [],
    'claude-3-7-sonnet-20250219': ['claude-budget'],
    'claude-3-5-haiku-latest': ['claude-budget'],
    'claude-sonnet-4-20250514': ['claude-budget'],
    'us.anthropic.claude-opus-4-1-20250805-v1:0': ['claude-budget'],
    'claude-haiku-4-5@20251001': ['claude-budget'],
    'claude-sonnet-4-6': ['claude-4-6'],
    'claude-opus-4-7': ['claude-adaptive'],
    'claude-sonnet-5': ['claude-adaptive'],
    'claude-opus-5-5': ['claude-adaptive', 'claude-bound'],
    'models/gemini-3-pro-preview': ['gemini-3'],
    'gemini-3.5-flash': ['gemini-3'],
    'gemini-flash-latest': ['gemini-3'],
    'gemini-2.5-flash': [],
    'svc-gpt-5': [],
    'my-o1': [],
  }
  for (const [model, classes] of Object.entries(table)) t.strictSame(modelClasses(model), classes, model)
})

t.test('a signature is the same each time, and finds what was changed [STR-23]', async t => {
  const signature = signThought('Hm.')
  t.equal(signature, signThought('Hm.'))
  t.match(signature, /^[A-Za-z0-9+/=]{80,400}$/)
  t.equal(readThought(signature)?.isOf('Hm.'), true)
  t.equal(readThought(signature)?.isOf('Hmm.'), false)
  t.equal(readThought(signThought('Hm.', { isOmitted: true }))?.isOmitted, true)
  for (const wrong of ['', 'abc', signature.slice(1), `A${signature.slice(1)}`, signature + signature])
    t.equal(readThought(wrong), null)
})

t.test('schemas are visited within their bounds', async t => {
  const visited: string[] = []
  const visit = (_schema: object, path: readonly string[]): void => void visited.push(path.join('.'))
  walkSchema(
    { properties: { a: { items: {} }, properties: { anyOf: [{}, true] } }, $defs: { d: {} }, required: ['a'] },
    { left: 100 },
    visit,
  )
  t.strictSame(visited, [
    '',
    'properties.a',
    'properties.a.items',
    'properties.properties',
    'properties.properties.anyOf.0',
    '$defs.d',
  ])
  const few = { left: 2 }
  visited.length = 0
  walkSchema({ items: { items: { items: {} } } }, few, visit)
  t.strictSame([visited.length, few.left], [2, 0])
})

t.test('a rule that a route reports and does not list is logged once [STR-42]', async t => {
  const logged: string[] = []
  const validator = new Validator({
    option: undefined,
    level: 'warn',
    warn: message => void logged.push(message),
    report() {},
  })
  const validation = {
    flavour: 'acme',
    rules: [],
    check: (_request: object, report: (rule: string, at: string) => void) => report('acme.unlisted', 'x'),
  }
  validator.add(validation)
  const request = { path: '/', body: {}, bytes: 2, headers: {}, params: {}, fields: new Set<string>() }
  for (let time = 0; time < 2; time++) t.strictSame(validator.find(validation, request), [])
  t.equal(logged.length, 1)
  t.match(logged[0], 'acme.unlisted')
  const twice = { ...validation, rules: [rule('acme.a'), rule('acme.a')] }
  t.throws(() => validator.add(twice), /two rules with the id acme\.a/)
})

function rule(id: string): Parameters<Validator['add']>[0]['rules'][number] {
  return { rule: id, phase: 'shape', confidence: 'documented', condition: '', message: '', sources: [] }
}

t.test('metrics have the rules of built-in plugins, and few others', async t => {
  const counted: string[] = []
  const counter = (name: string): { inc(labels?: Record<string, string>): void } => ({
    inc: ({ rule = '' } = {}) => void (name.includes('violations') && counted.push(rule)),
  })
  const { violated } = createMetrics({ counter } as never)
  const rule = (id: string): object => ({ rule: { rule: id }, at: '', values: {} })
  const find = (...ids: string[]): void =>
    violated({ level: 'warn', violations: ids.map(rule), refused: null } as never)
  find(...Array.from({ length: 51 }, (_, index) => `parrot.rule-${index}`))
  t.equal(counted[49], 'parrot.rule-49')
  t.equal(counted[50], 'other')
  counted.length = 0
  find('parrot.rule-7', 'parrot.rule-99', 'openai.range', 'live.modalities')
  t.strictSame(counted, ['parrot.rule-7', 'other', 'openai.range', 'live.modalities'])
})
