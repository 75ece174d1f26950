/** Steps of interactions: how they are given, and how the engine reads them. */
import { isRecord } from 'svc/toolkit'
import type { Engine, Message, Part } from '../../llm/types.ts'

/** A step as it is stored and shown. */
export type Step = { type: string } & Record<string, unknown>

const STEPS = new Set(['user_input', 'model_output', 'function_call', 'function_result', 'thought'])

/** A text, a content, a list of contents, or a list of steps; throws for anything else. */
export function givenSteps(engine: Engine, input: unknown): Step[] {
  if (typeof input === 'string') return [{ type: 'user_input', content: [{ type: 'text', text: input }] }]
  const list: unknown[] = Array.isArray(input) ? input : isRecord(input) ? [input] : []
  if (list.length === 0) throw engine.badInput('input: a text, contents or steps are required.')
  const types = list.map(item => String(engine.json.own(item, 'type')))
  if (types.every(type => STEPS.has(type)))
    return list.map((item, index) => ({ ...engine.json.objectOf(item), type: types[index]! }))
  if (types.some(type => STEPS.has(type))) throw engine.badInput('input: contents and steps must not be mixed.')
  return [{ type: 'user_input', content: list }]
}

export function readSteps(engine: Engine, steps: readonly Step[]): Message[] {
  return steps.flatMap(step => readStep(engine, step))
}

function readStep(engine: Engine, step: Step): Message[] {
  const { json } = engine
  switch (step.type) {
    case 'user_input':
      return [{ role: 'user', parts: readContents(engine, step.content) }]
    case 'model_output':
      return [{ role: 'assistant', parts: readContents(engine, step.content) }]
    case 'function_call': {
      const call: Part = {
        type: 'call',
        id: json.textOf(step.id) ?? '',
        name: json.textOf(step.name) ?? 'function',
        args: step.arguments ?? {},
      }
      return [{ role: 'assistant', parts: [call] }]
    }
    case 'function_result': {
      const name = json.textOf(step.name)
      const result: Part = {
        type: 'result',
        id: json.textOf(step.call_id) ?? '',
        content: Array.isArray(step.result)
          ? engine.textOfParts(readContents(engine, step.result))
          : json.asText(step.result),
        ...(name === undefined ? {} : { name }),
      }
      return [{ role: 'tool', parts: [result] }]
    }
    default:
      return []
  }
}

/** A list of contents, or a text; skips unknown ones. */
function readContents(engine: Engine, given: unknown): Part[] {
  if (typeof given === 'string') return [{ type: 'text', text: given }]
  return engine.json.listOf(given).flatMap((content): Part[] => {
    const { type, text, uri, mime_type: mime } = engine.json.objectOf(content)
    if (type === 'text') return typeof text === 'string' ? [{ type: 'text', text }] : []
    const description = typeof uri === 'string' ? engine.describeUrl(uri) : engine.describeInline(mime, 'inline')
    if (type === 'image' || type === 'audio') return [{ type, description }]
    return type === 'document' || type === 'video' ? [{ type: 'file', description }] : []
  })
}
