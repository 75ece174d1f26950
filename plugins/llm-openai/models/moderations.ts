/** `POST /moderations`: detects categories by fixed words. */
import { isRecord } from 'svc/toolkit'
import type { Engine, LlmRoute, OwnParsed } from '../../llm/types.ts'
import { describePost } from '../format/describe.ts'

/** All categories in output order, with the words that trigger them. */
const categories: readonly (readonly [name: string, words: readonly string[]])[] = [
  ['harassment', ['idiot', 'stupid', 'moron', 'loser', 'toxic']],
  ['harassment/threatening', ['threaten', 'threat']],
  ['hate', ['hate', 'racist', 'bigot']],
  ['hate/threatening', ['exterminate']],
  ['illicit', ['jailbreak', 'hack', 'hacking', 'steal', 'drugs']],
  ['illicit/violent', ['bomb', 'explosive']],
  ['self-harm', ['suicide']],
  ['self-harm/intent', ['suicidal']],
  ['self-harm/instructions', ['overdose']],
  ['sexual', ['nsfw', 'explicit']],
  ['sexual/minors', []],
  ['violence', ['kill', 'murder', 'attack', 'weapon']],
  ['violence/graphic', ['gore', 'blood']],
]

/** Of one result: the names of all categories, three times, with values. */
const RESULT_BYTES = 1024

interface ModeratedInput {
  text: string
  hasImage: boolean
  /** The result that the request asks for. */
  exact?: { flagged: boolean; categories: readonly string[] }
}

export function moderations(engine: Engine): LlmRoute<OwnParsed<ModeratedInput[]>> {
  const { json } = engine
  return {
    method: 'POST',
    path: '/moderations',
    op: 'moderate',
    describe: describePost('/moderations', 'moderate inputs', [
      { name: 'A text', body: { input: 'I hate this idiot' } },
    ]),
    parse(input) {
      const body = input.json()
      const inputs = readInputs(engine, body.input, input.limits.inputs)
      const prompt = inputs.map(item => item.text).join('\n')
      return {
        op: 'own',
        mode: 'moderation',
        model: json.textOf(body.model) ?? input.defaultModel ?? 'omni-moderation-latest',
        prompt,
        promptTokens: engine.count(prompt),
        completionTokens: 0,
        replyBytes: inputs.length * RESULT_BYTES,
        wire: inputs,
      }
    },
    withReply(parsed, reply) {
      const exact = readExact(engine, reply)
      return { ...parsed, wire: parsed.wire.map(item => ({ ...item, exact })) }
    },
    render: (_result, { model, wire }) => ({
      body: { id: `modr-${engine.randomId(24)}`, model, results: wire.map(item => moderate(engine, item)) },
    }),
  }
}

/** `{"flagged": true, "categories": ["violence"]}`. */
function readExact(
  engine: Engine,
  { flagged, categories: given = [], ...others }: Readonly<Record<string, unknown>>,
): NonNullable<ModeratedInput['exact']> {
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw engine.badReply(unknown.slice(0, 100), 'expected flagged or categories')
  if (typeof flagged !== 'boolean') throw engine.badReply('flagged', 'expected true or false')
  const names = categories.map(([name]) => name)
  if (!Array.isArray(given) || !given.every((name): name is string => names.includes(name as string)))
    throw engine.badReply('categories', `expected a list of ${names.join(', ')}`)
  return { flagged, categories: given }
}

/** A string or a list of parts is one input; a list of strings is one input per string. */
function readInputs(engine: Engine, given: unknown, most: number): ModeratedInput[] {
  const { json } = engine
  const invalid = (message: string, code: string): Error => engine.badInput(message, { param: 'input', code })
  if (given == null) throw invalid("Missing required parameter: 'input'.", 'missing_required_parameter')
  if (typeof given === 'string') return [{ text: given, hasImage: false }]
  if (!Array.isArray(given) || given.length === 0)
    throw invalid("Invalid 'input': expected a string or a non-empty list.", 'invalid_value')
  if (given.length > most)
    throw invalid(`Invalid 'input': expected at most ${most} items, received ${given.length}.`, 'invalid_value')
  if (given.every(item => typeof item === 'string')) return given.map(text => ({ text: String(text), hasImage: false }))
  if (!given.every(isRecord)) throw invalid("Invalid type for 'input': expected strings or parts.", 'invalid_value')
  return [
    {
      text: given.flatMap(part => json.textOf(json.own(part, 'text')) ?? []).join('\n'),
      hasImage: given.some(part => json.own(part, 'type') === 'image_url'),
    },
  ]
}

/** Detected categories score 0.9 to 0.95, others below 0.002; determined by the text. */
function moderate(engine: Engine, { text, hasImage, exact }: ModeratedInput): object {
  const inputWords = new Set(engine.words(text))
  const next = engine.generator(engine.digest('moderation', text))
  const hits = new Set(
    exact?.categories ??
      categories.filter(([, words]) => words.some(word => inputWords.has(word))).map(([name]) => name),
  )
  const byName = <T>(value: (name: string) => T): Record<string, T> =>
    Object.fromEntries(categories.map(([name]) => [name, value(name)]))
  const seesImages = (name: string): boolean =>
    name.startsWith('self-harm') || name === 'sexual' || name.startsWith('violence')
  return {
    flagged: exact?.flagged ?? hits.size > 0,
    categories: byName(name => hits.has(name)),
    category_scores: byName(name => Number((hits.has(name) ? 0.9 + next() * 0.05 : next() * 0.0019).toFixed(6))),
    category_applied_input_types: byName(name => (hasImage && seesImages(name) ? ['text', 'image'] : ['text'])),
  }
}
