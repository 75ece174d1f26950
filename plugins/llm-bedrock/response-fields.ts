/** `additionalModelResponseFieldPaths` of Converse: fields of the reply as the model itself writes it, by JSON pointer. */
import { pointerTokens, valueAt } from 'svc/toolkit'
import type { Json } from 'svc/plugin'
import type { ChatResult, Engine, RenderContext, RouteInput } from '../llm/types.ts'
import { familyId } from './describe.ts'
import type { Family, FamilyParsed } from './families.ts'

const MEMBER = 'additionalModelResponseFieldPaths'
const MAX_PATHS = 10
const MAX_PATH_CHARACTERS = 256

/** The requested fields, and how the family of the model writes the reply. */
export interface ResponseFields {
  pointers: string[][]
  family: Family
  parsed: FamilyParsed
}

/** Undefined if the request asks for none, or no format of the model runs. Throws if a path is not a JSON pointer. */
export async function readResponseFields(
  engine: Engine,
  families: readonly Family[],
  input: RouteInput,
  body: Record<string, unknown>,
  modelId: string,
): Promise<ResponseFields | undefined> {
  const paths = body[MEMBER]
  if (paths == null) return undefined
  if (!Array.isArray(paths)) throw engine.badInput(`${MEMBER} must be a list of JSON pointers.`)
  if (paths.length > MAX_PATHS)
    throw engine.badInput(
      `1 validation error detected: Value at '${MEMBER}' failed to satisfy constraint: Member must have length less than or equal to ${MAX_PATHS}`,
    )
  const pointers = paths.map((path: unknown, index) => readPointer(engine, path, index))
  if (pointers.length === 0) return undefined
  // The smallest request in the model's own format: its family says how the reply is written.
  const id = familyId(modelId)
  const own = {
    messages: [{ role: 'user', content: [{ text: '-', type: 'text' }] }],
    max_tokens: 1,
    ...(id.includes('claude') ? { anthropic_version: 'bedrock-2023-05-31' } : {}),
  }
  const family = families.find(candidate => candidate.matches(own, id))
  if (family === undefined) return undefined
  return { pointers, family, parsed: await family.parse(input, own, modelId) }
}

function readPointer(engine: Engine, path: unknown, index: number): string[] {
  const tokens =
    typeof path === 'string' && path !== '' && path.length <= MAX_PATH_CHARACTERS ? pointerTokens(path) : undefined
  if (tokens === undefined)
    throw engine.badInput(
      `${MEMBER}[${index}] must be a JSON pointer of 1 to ${MAX_PATH_CHARACTERS} characters, such as /stop_sequence.`,
    )
  return tokens
}

/** The fields that exist, nested as their pointers are; absent if the request names none. */
export function responseFieldsOf(
  fields: ResponseFields | undefined,
  result: ChatResult,
  context: RenderContext,
): { additionalModelResponseFields?: object } {
  if (fields === undefined) return {}
  const { pointers, family, parsed } = fields
  const written = family.reply(result, parsed, context)
  const reply = (typeof written === 'string' ? JSON.parse(written) : written) as Json
  const found = Object.create(null) as Fields
  for (const tokens of pointers) {
    const value = valueAt(reply, tokens)
    if (value === undefined) continue
    context.output.take(JSON.stringify(value).length)
    place(found, tokens, value)
  }
  return { additionalModelResponseFields: found }
}

interface Fields {
  [name: string]: Json | Fields
}

/** A path below an existing field adds nothing. */
function place(found: Fields, tokens: readonly string[], value: Json): void {
  let at = found
  for (const token of tokens.slice(0, -1)) {
    const next = at[token]
    // Only objects made here have no prototype.
    if (next !== undefined && !isOwn(next)) return
    at = isOwn(next) ? next : ((at[token] = Object.create(null) as Fields) as Fields)
  }
  at[tokens.at(-1) ?? ''] = value
}

function isOwn(value: Json | Fields | undefined): value is Fields {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null
}
