/** Owns `prompts/list` and `prompts/get`. */
import { isRecord } from 'svc/toolkit'
import type { Call, MethodResult } from '../servers/call.ts'
import { HandlerContext } from '../servers/call-context.ts'
import { invalidParams, shorten } from '../errors.ts'
import type { PromptDefinition } from '../types.ts'
import { renderPromptResult } from '../servers/results.ts'

/** Longer arguments are truncated to this number of characters. */
const MAX_ARGUMENT = 20_000

export function listPrompts(call: Call): MethodResult {
  return {
    result: call.server
      .listsOf(call.conversation.session)
      .page('prompts', call.version, call.params.cursor, call.pageSize),
    cache: { ttlMs: 300_000, cacheScope: 'public' },
  }
}

export async function getPrompt(call: Call): Promise<MethodResult> {
  const { name } = call.params
  if (typeof name !== 'string') throw invalidParams('Missing prompt name')
  const prompt = call.server.prompts.get(name)
  if (!prompt) throw invalidParams(`Unknown prompt: ${shorten(name)}`)
  const args = readArguments(prompt, call.params.arguments)
  await call.conversation.resume(call)
  const context = new HandlerContext(call)
  const result = await prompt.get(args, context)
  return { result: await renderPromptResult({ description: prompt.description, ...result }, call, context) }
}

/** Arguments must be strings, required ones must not be empty, unknown ones are ignored. Throws -32602. */
function readArguments(prompt: PromptDefinition, value: unknown): Record<string, string> {
  if (value !== undefined && value !== null && !isRecord(value)) throw invalidParams('"arguments" must be an object')
  const given = new Map(Object.entries(value ?? {}))
  const args: Record<string, string> = {}
  for (const { name, required } of prompt.arguments ?? []) {
    const argument = given.get(name)
    if (argument !== undefined && typeof argument !== 'string')
      throw invalidParams(`Prompt argument "${name}" must be a string`)
    if (required && !argument) throw invalidParams(`Missing prompt argument "${name}"`)
    if (argument) args[name] = argument.slice(0, MAX_ARGUMENT)
  }
  return args
}
