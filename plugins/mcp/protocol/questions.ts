/** Owns the questions to the client (elicitation, sampling, roots): support, parameters and valid results. */
import { isRecord } from 'svc/toolkit'
import { CODES, RpcError } from '../errors.ts'
import type { JsonObject, Question, QuestionMethod } from '../types.ts'
import type { Version } from './versions.ts'

/** The client capabilities that questions require. Other capabilities are not read or stored. */
export type ClientCapability = 'elicitation' | 'sampling' | 'roots'
export type ClientCapabilities = ReadonlySet<ClientCapability>

/** The client capability that a question requires. */
export const CAPABILITY: Record<QuestionMethod, ClientCapability> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
}

/** First words of error messages about a question. */
export const SUBJECT: Record<QuestionMethod, string> = {
  'elicitation/create': 'Elicitation',
  'sampling/createMessage': 'Sampling',
  'roots/list': 'Listing roots',
}

/** The known capabilities that an object declares. */
export function readCapabilities(declared: unknown): ClientCapability[] {
  return isRecord(declared) ? Object.values(CAPABILITY).filter(name => isRecord(declared[name])) : []
}

/** Whether the client declared the capability and the revision has the question. */
export function isSupported(method: QuestionMethod, version: Version, clientCapabilities: ClientCapabilities): boolean {
  return (method !== 'elicitation/create' || version.elicitation) && clientCapabilities.has(CAPABILITY[method])
}

/** Throws -32021 if the client did not declare the capability of a question. */
export function requireCapabilities(questions: Question[], version: Version, declared: ClientCapabilities): void {
  const unsupported = questions.filter(({ method }) => !isSupported(method, version, declared))
  const missing = [...new Set(unsupported.map(({ method }) => CAPABILITY[method]))]
  if (missing.length === 0) return
  const requiredCapabilities = Object.fromEntries(missing.map(name => [name, {}]))
  throw new RpcError(CODES.missingCapability, `Missing required client capability: ${missing.join(', ')}`, {
    status: 400,
    data: { requiredCapabilities },
  })
}

/** The parameters in the form of this revision. */
export function questionParams(question: Question, version: Version): JsonObject {
  return question.method === 'elicitation/create' && version.descriptions
    ? { mode: 'form', ...question.params }
    : { ...question.params }
}

/** Whether a result has the required members. */
export function isUsable(method: QuestionMethod, answer: unknown): answer is JsonObject {
  if (!isRecord(answer)) return false
  if (method === 'elicitation/create') return ['accept', 'decline', 'cancel'].includes(answer.action as string)
  if (method === 'sampling/createMessage')
    return typeof answer.model === 'string' && answer.content !== undefined && answer.content !== null
  return Array.isArray(answer.roots)
}
