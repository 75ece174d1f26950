/** The texts of a request that a guardrail checks, and may replace before the body is parsed. */
import { isRecord } from 'svc/toolkit'
import type { Engine } from '../llm/types.ts'

type Body = Record<string, unknown>

/** A text in a request that can be replaced. */
export interface GuardedText {
  readonly text: string
  replace(text: string): void
}

/** Converse: the blocks marked for the guardrail, otherwise all user messages. */
export function converseTexts(engine: Engine, body: Body): GuardedText[] {
  const { json } = engine
  const blocks = [
    ...json.listOf(body.system),
    ...json.listOf(body.messages).flatMap(message => json.listOf(json.own(message, 'content'))),
  ]
  const marked = blocks.flatMap(block => member(engine, json.own(json.own(block, 'guardContent'), 'text'), 'text'))
  return marked.length > 0 ? marked : messageTexts(engine, body.messages)
}

/** Fields for the prompt or the last message in the formats of InvokeModel. */
const promptFields = ['inputText', 'prompt', 'message']

/**
 * InvokeModel: all user text, in the format of any family. With a `tagSuffix` in the body, only the text inside tags
 * `<amazon-bedrock-guardrails-guardContent_suffix>`, if there are such tags.
 */
export function invokeTexts(engine: Engine, body: Body, tagSuffix: string | undefined): GuardedText[] {
  const { json } = engine
  const history = json
    .listOf(body.chat_history)
    .filter(turn => json.own(turn, 'role') === 'USER')
    .flatMap(turn => member(engine, turn, 'message'))
  const texts = [
    ...promptFields.flatMap(field => member(engine, body, field)),
    ...history,
    ...messageTexts(engine, body.messages),
  ]
  if (tagSuffix === undefined) return texts
  const tagged = texts.flatMap(text => taggedTexts(text, tagSuffix))
  return tagged.length > 0 ? tagged : texts
}

function messageTexts(engine: Engine, messages: unknown): GuardedText[] {
  const { json } = engine
  return json
    .listOf(messages)
    .filter(message => json.own(message, 'role') === 'user')
    .flatMap(message => [
      ...member(engine, message, 'content'),
      ...json.listOf(json.own(message, 'content')).flatMap(block => member(engine, block, 'text')),
    ])
}

/** The member as a replaceable text without directives, which stay where they are; none if it is not a string. */
function member(engine: Engine, object: unknown, name: string): GuardedText[] {
  if (!isRecord(object) || typeof object[name] !== 'string') return []
  const whole = object[name]
  const seen = engine.withoutDirectives(whole)
  const start = whole.indexOf(seen)
  const text = start < 0 ? whole : seen
  const [before, after] = start < 0 ? ['', ''] : [whole.slice(0, start), whole.slice(start + seen.length)]
  return [
    {
      text,
      replace: replacement => {
        object[name] = before + replacement + after
      },
    },
  ]
}

/** The text inside tags, in linear time. Replacing it keeps the tags. */
function taggedTexts(whole: GuardedText, suffix: string): GuardedText[] {
  const name = `amazon-bedrock-guardrails-guardContent_${suffix}`
  const [open, close] = [`<${name}>`, `</${name}>`]
  // Text outside and inside of tags alternates.
  const parts: string[] = []
  let from = 0
  for (let start = whole.text.indexOf(open); start >= 0; start = whole.text.indexOf(open, from)) {
    const end = whole.text.indexOf(close, start + open.length)
    if (end < 0) break
    parts.push(whole.text.slice(from, start + open.length), whole.text.slice(start + open.length, end))
    from = end
  }
  parts.push(whole.text.slice(from))
  return parts.flatMap((text, index) =>
    index % 2 === 0
      ? []
      : [
          {
            text,
            replace(replacement: string) {
              parts[index] = replacement
              whole.replace(parts.join(''))
            },
          },
        ],
  )
}
