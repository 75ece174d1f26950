/** Finds the JSON Schema of the reply in a prompt: what frameworks send to providers without structured output. */
import { isRecord } from 'svc/toolkit'
import { eachWord } from './tokens.ts'

const MOST_CHARACTERS = 64 * 1024
const SPACE = /[ \t\r\n]*/y
const STRING = /"[^"\\\r\n]*(?:\\["\\/bfnrtu][^"\\\r\n]*)*"/y
const SCALAR = /(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y

interface Found {
  text: string
  start: number
  end: number
}

/**
 * The last JSON Schema in the texts, an object with `properties` or `$schema` of at most 64 KiB, if they also have the word
 * JSON outside of it; otherwise undefined. Takes time in proportion to the length of the texts.
 */
export function promptedSchema(texts: readonly string[]): Record<string, unknown> | undefined {
  if (!texts.some(text => /json/i.test(text))) return undefined
  for (const text of texts.toReversed()) {
    const found = lastSchemaIn(text)
    if (found === undefined) continue
    const others = [...texts.filter(other => other !== text), text.slice(0, found.start), text.slice(found.end)]
    return others.some(hasWordJson) ? parsed(found) : undefined
  }
  return undefined
}

function hasWordJson(text: string): boolean {
  for (const word of eachWord(text)) if (word === 'json') return true
  return false
}

function parsed({ text, start, end }: Found): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.slice(start, end))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

interface Open {
  start: number
  isObject: boolean
  isSchema: boolean
}

/** The last of the outermost schemas. */
function lastSchemaIn(text: string): Found | undefined {
  if (!text.includes('"properties"') && !text.includes('"$schema"')) return undefined
  let found: Found | undefined
  let at = text.indexOf('{')
  while (at >= 0) {
    at = readValue(text, at, (start, end) => (found = { text, start, end }))
    at = text.indexOf('{', at)
  }
  return found
}

/**
 * Reads a JSON object that begins at `at`, and says where each schema in it begins and ends, inner ones first. Returns where
 * the object ends, or where the text stops being JSON.
 */
function readValue(text: string, begin: number, isSchemaAt: (start: number, end: number) => void): number {
  const open: Open[] = []
  let at = begin
  /** A value can begin here, rather than a comma or an end. */
  let isValueDue = true
  const skip = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const matched = pattern.exec(text)?.[0]
    if (matched !== undefined) at += matched.length
    return matched
  }
  do {
    skip(SPACE)
    const inner = open.at(-1)
    const char = text[at]
    if (char === '}' || char === ']') {
      if (inner === undefined || inner.isObject !== (char === '}')) return at
      open.pop()
      at++
      if (inner.isSchema && at - inner.start <= MOST_CHARACTERS) isSchemaAt(inner.start, at)
      isValueDue = false
      continue
    }
    if (!isValueDue) {
      if (char !== ',') return at
      at++
      isValueDue = true
      continue
    }
    if (inner?.isObject === true) {
      const key = skip(STRING)
      skip(SPACE)
      if (key === undefined || text[at] !== ':') return at
      at++
      skip(SPACE)
      if (key === '"$schema"' || (key === '"properties"' && text[at] === '{')) inner.isSchema = true
    }
    if (text[at] === '{' || text[at] === '[') {
      open.push({ start: at, isObject: text[at] === '{', isSchema: false })
      at++
      continue
    }
    if (skip(STRING) === undefined && skip(SCALAR) === undefined) return at
    isValueDue = false
  } while (open.length > 0)
  return at
}
