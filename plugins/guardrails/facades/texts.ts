/** The texts of messages, and the same messages with other texts. */
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import { type Findings, flagsOf } from '../findings.ts'
import { label, replaceEntities } from '../personal-data.ts'

type MapText = (text: string) => string

/** The text of `content`, or of its parts of the type `text`, replaced. */
export function mapContent(content: Json | undefined, map: MapText): Json | undefined {
  if (typeof content === 'string') return map(content)
  if (!Array.isArray(content)) return content
  return content.map(part =>
    isRecord(part) && typeof part.text === 'string' && (part.type === 'text' || part.type === undefined)
      ? { ...(part as JsonObject), text: map(part.text) }
      : part,
  )
}

/** Messages with the texts of their `content` replaced, in order. */
export function mapMessages(messages: Json | undefined, map: MapText): Json | undefined {
  if (!Array.isArray(messages)) return messages
  return messages.map(message => (isRecord(message) ? mapMessage(message as JsonObject, map) : message))
}

function mapMessage(message: JsonObject, map: MapText): JsonObject {
  return message.content === undefined ? message : { ...message, content: mapContent(message.content, map)! }
}

/** Choices of a chat completion with the texts of their messages, or of themselves, replaced. */
export function mapChoices(choices: Json | undefined, map: MapText): Json | undefined {
  if (!Array.isArray(choices)) return choices
  return choices.map(choice => {
    if (!isRecord(choice)) return choice
    const given = choice as JsonObject
    if (isRecord(given.message)) return { ...given, message: mapMessage(given.message as JsonObject, map) }
    return typeof given.text === 'string' ? { ...given, text: map(given.text) } : given
  })
}

/** The texts that a function replaces, in order. */
export function textsOf(replace: (map: MapText) => unknown): string[] {
  const texts: string[] = []
  replace(text => {
    texts.push(text)
    return text
  })
  return texts
}

/** Replaces each text, in the same order, by the one with labels in place of personal data. */
export function masking(findings: readonly Findings[]): MapText {
  let index = 0
  return () => maskedText(findings[index++]!)
}

export function maskedText({ text, entities }: Findings): string {
  return replaceEntities(text, entities, label)
}

/** What is found in all texts. */
export interface Summary {
  /** In the order in which they were found. */
  flags: string[]
  /** Types of personal data. */
  types: string[]
  /** For a person; null if nothing is found. */
  reason: string | null
}

export function summaryOf(findings: readonly Findings[]): Summary {
  const flags = [...new Set(findings.flatMap(flagsOf))]
  const types = [...new Set(findings.flatMap(({ entities }) => entities.map(({ type }) => type)))]
  return {
    flags,
    types,
    reason:
      flags.length > 0
        ? `flagged: ${flags.join(', ')}`
        : types.length > 0
          ? `personal data: ${types.join(', ')}`
          : null,
  }
}
