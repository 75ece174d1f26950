/** Owns the questions that a server asks its client: who takes them, how they are put, which answers are usable. */
import { isRecord } from 'svc/plugin'
import type { JsonObject, Question, QuestionMethod } from '../types.ts'
import type { Version } from '../wire/versions.ts'

/** The client capability that a question needs. */
export const CAPABILITY: Record<QuestionMethod, string> = {
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

/** Whether the client declared the capability and the version has the question. */
export function isSupported(method: QuestionMethod, version: Version, clientCapabilities: JsonObject): boolean {
  return (method !== 'elicitation/create' || version.elicitation) && isRecord(clientCapabilities[CAPABILITY[method]])
}

/** The parameters as this version puts them. */
export function questionParams(question: Question, version: Version): JsonObject {
  return question.method === 'elicitation/create' && version.descriptions ? { mode: 'form', ...question.params } : { ...question.params }
}

/** Whether an answer has what the question's result must have. */
export function isUsable(method: QuestionMethod, answer: unknown): answer is JsonObject {
  if (!isRecord(answer)) return false
  if (method === 'elicitation/create') return ['accept', 'decline', 'cancel'].includes(answer.action as string)
  if (method === 'sampling/createMessage') return typeof answer.model === 'string' && answer.content !== undefined && answer.content !== null
  return Array.isArray(answer.roots)
}
