/** The texts of a request that a guardrail assesses, and may replace before the model's family reads the body. */
import { isRecord } from 'svc/plugin'
import type { Engine } from '../llm/types.ts'

type Body = Record<string, unknown>

/** A text at its place in a request. */
export interface GuardedText {
  readonly text: string
  replace(text: string): void
}

/** Converse: the blocks that are marked for the guardrail, else all that the user has said. */
export function converseTexts({ json }: Engine, body: Body): GuardedText[] {
  const blocks = [
    ...json.listOf(body.system),
    ...json.listOf(body.messages).flatMap(message => json.listOf(json.own(message, 'content'))),
  ]
  const marked = blocks.flatMap(block => member(json.own(json.own(block, 'guardContent'), 'text'), 'text'))
  return marked.length > 0 ? marked : messageTexts(json, body.messages)
}

/** Fields in which the families of InvokeModel have a prompt, or its last message. */
const promptFields = ['inputText', 'prompt', 'message']

/**
 * InvokeModel: all that the user has said, in any family's form. With a `tagSuffix` in the body only what the tags
 * `<amazon-bedrock-guardrails-guardContent_suffix>` enclose, where there are any.
 */
export function invokeTexts({ json }: Engine, body: Body, tagSuffix: string | undefined): GuardedText[] {
  const history = json
    .listOf(body.chat_history)
    .filter(turn => json.own(turn, 'role') === 'USER')
    .flatMap(turn => member(turn, 'message'))
  const texts = [
    ...promptFields.flatMap(field => member(body, field)),
    ...history,
    ...messageTexts(json, body.messages),
  ]
  if (tagSuffix === undefined) return texts
  const tagged = texts.flatMap(text => taggedTexts(text, tagSuffix))
  return tagged.length > 0 ? tagged : texts
}

function messageTexts(json: Engine['json'], messages: unknown): GuardedText[] {
  return json
    .listOf(messages)
    .filter(message => json.own(message, 'role') === 'user')
    .flatMap(message => [
      ...member(message, 'content'),
      ...json.listOf(json.own(message, 'content')).flatMap(block => member(block, 'text')),
    ])
}

/** The member as a text to replace, where it is one. */
function member(object: unknown, name: string): GuardedText[] {
  if (!isRecord(object) || typeof object[name] !== 'string') return []
  return [
    {
      text: object[name],
      replace: text => {
        object[name] = text
      },
    },
  ]
}

/** What tags enclose in a text; linear in it. The tags stay. */
function taggedTexts(whole: GuardedText, suffix: string): GuardedText[] {
  const name = `amazon-bedrock-guardrails-guardContent_${suffix}`
  const [open, close] = [`<${name}>`, `</${name}>`]
  // Outside and inside take turns.
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
