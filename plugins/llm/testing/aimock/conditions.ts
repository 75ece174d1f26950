/** `match` of an aimock fixture, as conditions of a rule. */
import type { Json, JsonObject } from 'svc/plugin'
import { noteOthers, type Note } from './problems.ts'

/** The conditions of a fixture, and its place in a conversation. */
export interface Conditions {
  match: JsonObject
  /** `turnIndex`; null without one. */
  turn: number | null
  /** `sequenceIndex`; null without one. */
  sequence: number | null
}

const KNOWN = new Set([
  'userMessage',
  'systemMessage',
  'model',
  'toolName',
  'toolCallId',
  'toolResultContains',
  'hasToolResult',
  'responseFormat',
  'sequenceIndex',
  'turnIndex',
  'inputText',
  'endpoint',
  'context',
])
const OPERATIONS: Readonly<Record<string, string>> = { chat: 'chat', embedding: 'embed' }
const FORMATS: Readonly<Record<string, string>> = { json_object: 'json', json_schema: 'schema', text: 'none' }

/** Null if the fixture is for something that the mock LLM does not serve. */
export function readConditions(given: JsonObject, note: Note): Conditions | null {
  noteOthers(given, KNOWN, 'match.', note)
  const llm: JsonObject = {}
  const text = (from: string, to: string): void => {
    const value = given[from]
    if (typeof value === 'string' && value !== '') llm[to] = { contains: value }
    else if (Array.isArray(value) && value.length > 0 && value.every(item => typeof item === 'string'))
      llm[to] = { contains: value }
    else if (value !== undefined && value !== '' && !Array.isArray(value)) note(`match.${from}`, 'expected a text')
  }
  text('userMessage', 'user')
  text('systemMessage', 'system')
  text('inputText', 'input')
  text('toolResultContains', 'last_result')
  if (typeof given.toolCallId === 'string') llm.last_result_id = given.toolCallId
  if (typeof given.toolName === 'string') llm.tool = given.toolName
  if (typeof given.hasToolResult === 'boolean') llm.tool_result = given.hasToolResult
  if (typeof given.model === 'string') llm.model = { matches: `^${escapePattern(given.model)}(?:-[0-9].*)?$` }
  if (given.responseFormat !== undefined) {
    const format = FORMATS[String(given.responseFormat)]
    if (format === undefined) return skipped(note, 'match.responseFormat', given.responseFormat)
    llm.format = format
  }
  if (given.endpoint !== undefined) {
    const op = OPERATIONS[String(given.endpoint)]
    if (op === undefined) return skipped(note, 'match.endpoint', given.endpoint)
    llm.op = op
  }
  return {
    match: typeof given.context === 'string' ? { header: { 'X-AIMock-Context': given.context }, llm } : { llm },
    turn: integerOf(given.turnIndex),
    sequence: integerOf(given.sequenceIndex),
  }
}

function skipped(note: Note, at: string, value: Json): null {
  note(at, `${JSON.stringify(value).slice(0, 100)} has no counterpart; the fixture is left out`)
  return null
}

function integerOf(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isInteger(value) ? value : null
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
}
