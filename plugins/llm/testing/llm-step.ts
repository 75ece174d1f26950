/** The step `llm` of rules: how strictly a request is checked, and how its stream is written. */
import type { Json } from 'svc/plugin'
import { asObject, asText, below, InputProblem, rejectUnknownKeys, type RuleStepKind } from 'svc/toolkit'
import { EXPECTED_SHAPE, readShape, type StreamShape } from '../shapes/shape.ts'
import { isLevel, LEVELS, MAX_NAMES, problemOfNames, type Strictness } from '../validation/level.ts'

export const LLM_STEP = 'llm'
const MAX_SHAPE = 500
const MAX_RULE = 100

/** What the step says; null: nothing. */
export interface LlmStep {
  strictness: Strictness | null
  shape: StreamShape | null
}

/** `rules`: the ids of all rules of vendors. */
export function createLlmStep(rules: () => readonly string[]): RuleStepKind {
  return {
    name: LLM_STEP,
    description: 'How strictly the request is checked (`validation`), and how its stream is written (`stream_shape`)',
    excludes: ['fail', 'abort', 'respond', 'forward'],
    read: (value, at) => readStep(value, at, rules()),
  }
}

function readStep(value: Json, at: string, rules: readonly string[]): LlmStep {
  const given = asObject(value, at)
  rejectUnknownKeys(given, ['validation', 'stream_shape'], at)
  if (given.validation === undefined && given.stream_shape === undefined)
    throw new InputProblem(at, 'expected validation or stream_shape')
  return {
    strictness:
      given.validation === undefined ? null : readValidation(given.validation, below(at, 'validation'), rules),
    shape: given.stream_shape === undefined ? null : readStreamShape(given.stream_shape, below(at, 'stream_shape')),
  }
}

function readValidation(value: Json, at: string, rules: readonly string[]): Strictness {
  if (typeof value === 'string') return { level: readLevel(value, at), except: [], also: [] }
  const given = asObject(value, at, `expected ${LEVELS.join(', ')}, or an object with level`)
  rejectUnknownKeys(given, ['level', 'except', 'also'], at)
  const names = (list: 'except' | 'also'): string[] => {
    const value = given[list] ?? []
    const place = below(at, list)
    if (!Array.isArray(value) || value.length > MAX_NAMES)
      throw new InputProblem(place, `expected a list of at most ${MAX_NAMES} rules`)
    const texts = value.map((item, index) => asText(item, below(place, index), MAX_RULE, 1))
    const problem = problemOfNames(list, texts, rules)
    if (problem !== null) throw new InputProblem(below(at, problem.at), problem.message)
    return texts
  }
  return { level: readLevel(given.level, below(at, 'level')), except: names('except'), also: names('also') }
}

function readLevel(value: Json | undefined, at: string): Strictness['level'] {
  if (!isLevel(value)) throw new InputProblem(at, `expected one of ${LEVELS.join(', ')}`)
  return value
}

function readStreamShape(value: Json, at: string): StreamShape {
  const { shape, unknown } = readShape(asText(value, at, MAX_SHAPE, 1))
  if (unknown.length > 0)
    throw new InputProblem(at, `unknown stream shape ${JSON.stringify(unknown[0])} (expected ${EXPECTED_SHAPE})`)
  return shape
}
