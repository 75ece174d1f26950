/** What directives mean: most of their items are request headers under a shorter name. */
import { nearest } from 'svc/toolkit'
import { modeOfHeader } from '../engine/model-mode.ts'
import type { FaultParser, FaultSpec } from '../headers/faults.ts'
import { parseReply } from '../headers/reply-header.ts'
import { readReplySize } from '../headers/reply-size.ts'
import { MAX_WINDOW } from '../headers/request-headers.ts'
import type { Profiles } from '../profiles/profiles.ts'
import { readShape } from '../shapes/shape.ts'
import { isProblem, readStrictness } from '../validation/level.ts'
import type { DirectiveItem, DirectiveLine } from './line.ts'

/** What the values of items are read with. */
export interface DirectiveReaders {
  faults: FaultParser
  profiles: Profiles
  validator: { ids(): readonly string[] }
  isPublic: boolean
}

/** A directive whose items have been read. */
export interface Directive {
  /** Its items as they are written. */
  text: string
  /** Values of request headers, by their names in lower case. */
  headers: ReadonlyMap<string, string>
  fault: FaultSpec | null
  /** Conditions of `expect`, as JSON. */
  expect: string | null
  /** On how many requests it acts; null: on all. */
  times: number | null
  /** In which steps of a conversation it acts. */
  turn: 'new' | 'any' | number
}

/** A directive that is wrong. */
export class DirectiveProblem extends Error {}

interface ItemRule {
  /** The header that has the same effect. */
  header?: string
  /** What is wrong with a value; null: nothing. May throw an error whose message says it. */
  problemOf(value: string, readers: DirectiveReaders): string | null
}

const MAX_TIMES = 1000
const MAX_TURN = 10_000
const MAX_RETRY_AFTER = 86_400

function wholeNumber(from: number, to: number): ItemRule['problemOf'] {
  return value =>
    /^\d{1,10}$/.test(value) && Number(value) >= from && Number(value) <= to
      ? null
      : `expected a whole number from ${from} to ${to}`
}

const anyNumber = wholeNumber(0, 999_999_999)
const anyText = (): null => null

const ITEMS: Readonly<Record<string, ItemRule>> = {
  fail: {
    problemOf: (value, { faults }) =>
      faults.parse(value) === null ? 'expected a kind of failure or a status, optionally with :<percent>' : null,
  },
  latency: { header: 'x-svc-latency-ms', problemOf: anyNumber },
  ttft: { header: 'x-svc-ttft-ms', problemOf: anyNumber },
  tps: { header: 'x-svc-tokens-per-second', problemOf: anyNumber },
  jitter: { header: 'x-svc-jitter', problemOf: wholeNumber(0, 100) },
  profile: {
    header: 'x-svc-profile',
    problemOf(value, { profiles }) {
      profiles.ofHeader(value)
      return null
    },
  },
  mode: {
    header: 'x-svc-mode',
    problemOf: value => (modeOfHeader(value) === undefined ? 'expected canned, echo, scripted or random' : null),
  },
  reply: { header: 'x-svc-reply', problemOf: anyText },
  'reply-json': {
    header: 'x-svc-reply-json',
    problemOf(value) {
      parseReply(value)
      return null
    },
  },
  size: {
    header: 'x-svc-reply-size',
    problemOf(value, { isPublic }) {
      readReplySize(value, isPublic)
      return null
    },
  },
  shape: {
    header: 'x-svc-stream-shape',
    problemOf(value) {
      const [unknown] = readShape(value).unknown
      return unknown === undefined ? null : `unknown item ${unknown}`
    },
  },
  validation: {
    header: 'x-svc-validation',
    problemOf(value, { validator }) {
      const read = readStrictness(value, validator.ids())
      return isProblem(read) ? read.message : null
    },
  },
  context: { header: 'x-svc-context-window', problemOf: wholeNumber(1, MAX_WINDOW) },
  cached: { header: 'x-svc-cached-tokens', problemOf: anyNumber },
  expect: { problemOf: anyText },
  'retry-after': { problemOf: wholeNumber(0, MAX_RETRY_AFTER) },
  times: { problemOf: wholeNumber(1, MAX_TIMES) },
  turn: {
    problemOf: value =>
      value === 'any' || wholeNumber(0, MAX_TURN)(value, NO_READERS) === null ? null : 'expected any or a number',
  },
}
const NO_READERS = {} as DirectiveReaders
const NAMES = Object.keys(ITEMS)

/** The names of items by the headers that have the same effect. */
export const ITEM_OF_HEADER: ReadonlyMap<string, string> = new Map(
  Object.entries(ITEMS).flatMap(([name, { header }]) => (header === undefined ? [] : [[header, name] as const])),
)

/** Items that say what the reply is: a header that says it leaves no room for them. */
export const REPLY_HEADERS = ['x-svc-reply', 'x-svc-reply-json', 'x-svc-reply-size'] as const

/** Reads the items of a line. Throws `DirectiveProblem`. */
export function readDirective(line: DirectiveLine, readers: DirectiveReaders): Directive {
  if (line.problem !== null) throw new DirectiveProblem(line.problem)
  const values = new Map<string, string>()
  const headers = new Map<string, string>()
  for (const item of line.items) {
    const { name } = item
    const rule = Object.hasOwn(ITEMS, name) ? ITEMS[name]! : null
    if (rule === null) throw unknownItem(name)
    if (values.has(name)) throw new DirectiveProblem(`${name} is given twice`)
    if (item.value === null) throw new DirectiveProblem(`${name} has no value`)
    const problem = problemOf(rule, item.value, readers)
    if (problem !== null) throw new DirectiveProblem(`${name}: ${problem}`)
    values.set(name, item.value)
    if (rule.header !== undefined) headers.set(rule.header, headerOf(item))
  }
  if (values.size === 1 && values.has('times')) throw new DirectiveProblem('times needs another item')
  const numberOf = (name: string): number | null => (values.has(name) ? Number(values.get(name)) : null)
  const turn = values.get('turn') ?? 'new'
  return {
    text: line.text,
    headers,
    fault: faultOf(values.get('fail'), numberOf('retry-after'), readers),
    expect: values.get('expect') ?? null,
    times: numberOf('times'),
    turn: turn === 'any' || turn === 'new' ? turn : Number(turn),
  }
}

function unknownItem(name: string): DirectiveProblem {
  const shown = name.slice(0, 60)
  const guess = nearest(name, NAMES)
  return new DirectiveProblem(
    guess === undefined
      ? `unknown name ${shown}; expected one of ${NAMES.join(', ')}`
      : `unknown name ${shown}; did you mean ${guess}?`,
  )
}

/** The readers of headers throw errors that name the header. */
function problemOf(rule: ItemRule, value: string, readers: DirectiveReaders): string | null {
  try {
    return rule.problemOf(value, readers)
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'SVC_LLM_BAD_INPUT') throw error
    return (error as Error).message.replace(/^X-Svc-[A-Za-z-]{1,40}: /, '')
  }
}

/** A quoted text has no percent escapes, which the header has. */
function headerOf({ name, value, isQuoted }: DirectiveItem): string {
  return name === 'reply' && isQuoted ? value!.replaceAll('%', '%25') : value!
}

function faultOf(
  word: string | undefined,
  retryAfterSecs: number | null,
  { faults }: DirectiveReaders,
): FaultSpec | null {
  const fault = faults.parse(word)
  if (fault === null) return null
  return {
    ...fault,
    source: `directive: fail=${word!.trim()}`,
    ...(retryAfterSecs === null ? {} : { retryAfterSecs }),
  }
}
