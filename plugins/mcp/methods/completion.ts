/** Owns `completion/complete`: values for prompt arguments and template variables. */
import { isRecord, shownText } from 'svc/toolkit'
import type { Call, MethodResult } from '../servers/call.ts'
import { invalidParams, shorten } from '../errors.ts'
import type { JsonObject } from '../types.ts'
import type { CompleteResult } from '../protocol/spec.ts'

const MAX_VALUES = 100

export function complete(call: Call): MethodResult {
  const { ref, argument } = call.params
  if (!isRecord(argument) || typeof argument.name !== 'string') throw invalidParams('Missing argument.name')
  const prefix = (typeof argument.value === 'string' ? argument.value : '').toLowerCase()
  const matching = candidates(call, ref, argument.name).filter(value => value.toLowerCase().startsWith(prefix))
  return {
    result: {
      completion: {
        values: matching.slice(0, MAX_VALUES),
        total: matching.length,
        hasMore: matching.length > MAX_VALUES,
      },
    } satisfies CompleteResult,
  }
}

/** All completion values of the argument; an unknown argument has none. */
function candidates(call: Call, ref: unknown, argument: string): readonly string[] {
  if (!isRecord(ref)) throw invalidParams('Missing ref')
  if (ref.type === 'ref/prompt') return promptValues(call, ref, argument)
  if (ref.type === 'ref/resource') return templateValues(call, ref, argument)
  throw invalidParams('Unknown ref.type (expected ref/prompt or ref/resource)')
}

function promptValues(call: Call, ref: JsonObject, argument: string): readonly string[] {
  const prompt = call.server.prompts.get(shownText(ref.name))
  if (!prompt) throw invalidParams(`Unknown prompt: ${shorten(shownText(ref.name))}`)
  return prompt.arguments?.find(({ name }) => name === argument)?.complete ?? []
}

function templateValues(call: Call, ref: JsonObject, argument: string): readonly string[] {
  const template = call.server.templates.find(({ definition }) => definition.uriTemplate === ref.uri)
  if (!template) throw invalidParams(`Unknown resource template: ${shorten(shownText(ref.uri))}`)
  return new Map(Object.entries(template.definition.complete ?? {})).get(argument) ?? []
}
