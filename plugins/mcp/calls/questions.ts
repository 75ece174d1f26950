/** Owns the questions that a server asks its client: who takes them, how they are put, which answers are usable. */
import { isRecord } from 'svc/plugin'
import type { JsonObject, Question, QuestionMethod } from '../types.ts'
import type { Version } from '../wire/versions.ts'

/** The client capabilities that questions need; of all that a client declares only these are looked at, and kept. */
export type ClientCapability = 'elicitation' | 'sampling' | 'roots'
export type ClientCapabilities = ReadonlySet<ClientCapability>

/** The client capability that a question needs. */
export const CAPABILITY: Record<QuestionMethod, ClientCapability> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
}

/** How messages about a failed question begin. */
export const SUBJECT: Record<QuestionMethod, string> = {
  'elicitation/create': 'Elicitation',
  'sampling/createMessage': 'Sampling',
  'roots/list': 'Listing roots',
}

/** Which of the known capabilities an object declares; whatever else is in it is not kept. */
export function readCapabilities(declared: unknown): ClientCapabilities {
  return new Set(isRecord(declared) ? Object.values(CAPABILITY).filter(name => isRecord(declared[name])) : [])
}

/** Whether the client declared the capability and the version has the question. */
export function isSupported(method: QuestionMethod, version: Version, clientCapabilities: ClientCapabilities): boolean {
  return (method !== 'elicitation/create' || version.elicitation) && clientCapabilities.has(CAPABILITY[method])
}

/** The parameters as this version puts them. */
export function questionParams(question: Question, version: Version): JsonObject {
  return question.method === 'elicitation/create' && version.descriptions
    ? { mode: 'form', ...question.params }
    : { ...question.params }
}

/** Whether an answer has what the question's result must have. */
export function isUsable(method: QuestionMethod, answer: unknown): answer is JsonObject {
  if (!isRecord(answer)) return false
  if (method === 'elicitation/create') return ['accept', 'decline', 'cancel'].includes(answer.action as string)
  if (method === 'sampling/createMessage')
    return typeof answer.model === 'string' && answer.content !== undefined && answer.content !== null
  return Array.isArray(answer.roots)
}
