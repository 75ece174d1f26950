/** The order of a conversation: roles, calls with their responses, and thought signatures. */
import { isRecord } from 'svc/toolkit'
import type { Engine, Report } from '../../llm/types.ts'
import { field } from '../fields.ts'

interface Part {
  part: unknown
  call: unknown
  isResponse: boolean
  /** Places of its content, and in that. */
  index: number
  place: number
}
interface Content {
  role: unknown
  parts: Part[]
  calls: number
  responses: number
  index: number
}

const ROLES = new Set(['user', 'model', 'function'])
/** What a client sends where it has no signature: the vendor's documented way out. Gateways encode it. */
const SKIPPING = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'].flatMap(value => [
  value,
  Buffer.from(value).toString('base64'),
])
/** Characters of a signature that are tested. */
const TESTED = 256
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/

export function checkConversation(
  engine: Engine,
  given: unknown,
  { isVertex, model }: { isVertex: boolean; model: string },
  report: Report,
): void {
  if (!Array.isArray(given)) return
  const contents = given.flatMap((content: unknown, index) =>
    isRecord(content) ? [readContent(engine, content, index)] : [],
  )
  for (const { role, index } of contents) if (!hasValidRole(role, isVertex)) report('gemini.role', `contents[${index}]`)
  const joined = joinModel(contents)
  joined.forEach((content, place) => checkTurn(content, joined[place - 1], joined[place + 1], report))
  const isGemini3 = engine.modelClasses(model).includes('gemini-3')
  checkSignatures(engine, contents, isGemini3, report)
  if (isGemini3) checkCurrentTurn(engine, joined, isVertex, report)
}

/**
 * Consecutive contents of the model are one: the official clients send back the chunks of a stream as they came. Contents of
 * the user are not joined, as all responses to calls belong in one.
 */
function joinModel(contents: readonly Content[]): Content[] {
  const joined: Content[] = []
  for (const content of contents) {
    const last = joined.at(-1)
    if (last === undefined || last.role !== 'model' || content.role !== 'model') {
      joined.push({ ...content, parts: [...content.parts] })
      continue
    }
    for (const part of content.parts) last.parts.push(part)
    last.calls += content.calls
    last.responses += content.responses
  }
  return joined
}

function hasValidRole(role: unknown, isVertex: boolean): boolean {
  if (role === undefined || role === null) return !isVertex
  return typeof role === 'string' && ROLES.has(role)
}

function readContent(engine: Engine, content: Readonly<Record<string, unknown>>, index: number): Content {
  const list = Array.isArray(content.parts) ? content.parts : [content.parts]
  const parts = list.map(
    (part: unknown, place): Part => ({
      part,
      call: field(engine, part, 'functionCall'),
      isResponse: field(engine, part, 'functionResponse') !== undefined,
      index,
      place,
    }),
  )
  return {
    role: content.role,
    parts,
    calls: parts.filter(({ call }) => call !== undefined).length,
    responses: parts.filter(({ isResponse }) => isResponse).length,
    index,
  }
}

function checkTurn(content: Content, previous: Content | undefined, next: Content | undefined, report: Report): void {
  const at = `contents[${content.index}]`
  if (content.role === 'model' && content.calls > 0) {
    if (previous === undefined) report('gemini.call-turn', at)
    if (next !== undefined && next.responses === 0) report('gemini.response-turn', at)
    if (next !== undefined && next.responses > 0 && next.responses !== content.calls)
      report('gemini.response-count', `contents[${next.index}]`)
  }
  if (content.responses > 0 && (previous === undefined || previous.calls === 0)) report('gemini.response-turn', at)
}

function checkSignatures(engine: Engine, contents: readonly Content[], isGemini3: boolean, report: Report): void {
  for (const { parts, index } of contents)
    for (const { part, place } of parts) {
      const value = field(engine, part, 'thoughtSignature')
      if (typeof value !== 'string' || SKIPPING.includes(value)) continue
      const at = `contents[${index}].parts[${place}]`
      if (!BASE64.test(value.slice(0, TESTED))) report('gemini.signature-base64', at, { value })
      else if (isGemini3 && engine.readThought(value) === null) report('gemini.signature', at)
    }
}

/** The turn begins with the last content of the user that has anything but function responses. */
function checkCurrentTurn(engine: Engine, contents: readonly Content[], isVertex: boolean, report: Report): void {
  const start = contents.findLastIndex(
    ({ role, parts }) => role !== 'model' && !parts.every(({ isResponse }) => isResponse),
  )
  for (const { role, parts } of contents.slice(start + 1)) {
    const first = role === 'model' ? parts.find(({ call }) => call !== undefined) : undefined
    if (first === undefined || typeof field(engine, first.part, 'thoughtSignature') === 'string') continue
    const name = engine.json.asText(engine.json.own(first.call, 'name'))
    report('gemini.signature-missing', `contents[${first.index}].parts[${first.place}]`, {
      name,
      position: first.index + 1,
      ...(isVertex ? { form: 'vertex' } : {}),
    })
  }
}
