/** Chooses a response of an operation: by matching examples, by preference, or the default one. */
import { type StepBudget } from 'svc/plugin'
import { isRecord, shownText } from 'svc/toolkit'
import { responseFor, type Operation, type ResponseDefinition } from '../document/operations.ts'
import { deepEqual, own, ownObject, parseJson, type Json, type JsonObject } from '../document/json.ts'
import type { ApiDocument } from '../document/api-document.ts'

/** A response of the document, and its concrete status. */
export interface Choice {
  definition: ResponseDefinition
  status: number
  /** The name of the example to use; null for the default order. */
  example: string | null
  /** Whether the example was chosen because the request equals the one of the same name. */
  isPaired?: true
}

/** The concrete status for a declared one: `4XX` becomes 400, `default` becomes 200. */
export function sentStatus(declared: string): number {
  if (declared === 'default') return 200
  return declared.endsWith('XX') ? Number(declared[0]) * 100 : Number(declared)
}

/** All responses by precedence: lowest 2xx, `2XX`, `default`, then by status. */
export function inOrder(operation: Operation): ResponseDefinition[] {
  const rank = ({ status }: ResponseDefinition): number => {
    if (/^2\d\d$/.test(status)) return Number(status) - 1000
    if (status === '2XX') return -2
    return status === 'default' ? -1 : sentStatus(status)
  }
  return [...operation.responses].sort((a, b) => rank(a) - rank(b))
}

/** The default response of an operation; undefined if it declares no response. */
export function defaultChoice(operation: Operation): Choice | undefined {
  const definition = inOrder(operation)[0]
  return definition && { definition, status: sentStatus(definition.status), example: null }
}

/** The response for a status; undefined if the document has none, and for interim responses (1xx). */
export function choiceForStatus(operation: Operation, status: number): Choice | undefined {
  if (status < 200) return undefined
  const definition = responseFor(operation, status)
  return definition && { definition, status, example: null }
}

/** A named example, in the response with that status or the first response that has it. */
export function choiceForExample(operation: Operation, example: string, status: number | null): Choice | undefined {
  if (status !== null && status < 200) return undefined
  const definition =
    status === null
      ? inOrder(operation).find(response => exampleNames(response).includes(example))
      : responseFor(operation, status)
  if (!definition || !exampleNames(definition).includes(example)) return undefined
  return { definition, status: status ?? sentStatus(definition.status), example }
}

/** The names of the examples of a response, for all media types. */
export function exampleNames(response: ResponseDefinition): string[] {
  return [
    ...new Set(
      response.content.flatMap(({ raw }) =>
        Object.keys(ownObject(raw, 'examples') ?? {}).filter(name => hasExample(raw, name)),
      ),
    ),
  ]
}

/** Whether a media type has a named example with a value in the document. */
export function hasExample(holder: JsonObject, name: string | null): boolean {
  const entry = name === null ? undefined : own(ownObject(holder, 'examples'), name)
  return isRecord(entry) && ['$ref', ...EXAMPLE_VALUES].some(key => Object.hasOwn(entry, key))
}

/** The first example of a media type: `example`, else the first of `examples` that has a value. */
export function firstExample(
  document: ApiDocument,
  holder: JsonObject,
): { name: string | null; value: Json } | undefined {
  if (Object.hasOwn(holder, 'example')) return { name: null, value: holder['example'] ?? null }
  for (const name of Object.keys(ownObject(holder, 'examples') ?? {})) {
    const value = exampleValue(document, holder, name)
    if (value !== undefined) return { name, value }
  }
  return undefined
}

/** Examples with the same name in request and response: a request that equals the former gets the latter. */
export interface Pairing {
  choice: Choice
  /** Parameter values by location and name. */
  parameters: { place: string; name: string; value: Json }[]
  /** Undefined if the body is not compared. */
  body: Json | undefined
}

/** The pairings of an operation in document order. An example name without a request value is not a pairing. */
export function listPairings(document: ApiDocument, operation: Operation): Pairing[] {
  const pairings: Pairing[] = []
  for (const definition of operation.responses) {
    for (const name of exampleNames(definition)) {
      const parameters = operation.parameters.flatMap(parameter => {
        const value = exampleValue(document, parameter.raw, name)
        return value === undefined ? [] : [{ place: parameter.in, name: parameter.name, value }]
      })
      const body = operation.requestBody?.content
        .map(({ raw }) => exampleValue(document, raw, name))
        .find(value => value !== undefined)
      if (parameters.length > 0 || body !== undefined)
        pairings.push({
          choice: { definition, status: sentStatus(definition.status), example: name, isPaired: true },
          parameters,
          body,
        })
    }
  }
  return pairings
}

/** The value of a named example of a media type or parameter. `externalValue` is never fetched. */
export function exampleValue(document: ApiDocument, holder: JsonObject, name: string): Json | undefined {
  const entry = document.resolve(own(ownObject(holder, 'examples'), name))
  if (entry === undefined) return undefined
  const key = EXAMPLE_VALUES.find(member => Object.hasOwn(entry, member))
  const value = key === undefined ? undefined : own(entry, key)
  return key === 'serializedValue' && typeof value === 'string' ? (parseJson(value) ?? value) : value
}

/** Members of an Example Object with its value; the last two since OpenAPI 3.2. */
const EXAMPLE_VALUES = ['value', 'dataValue', 'serializedValue']

/** The pairings that match the request. Path parameters are compared as strings. */
export function findPairings(
  pairings: readonly Pairing[],
  valueOf: (place: string, name: string) => Json | undefined,
  body: () => Json | undefined,
  steps: StepBudget,
): Pairing[] {
  return pairings.filter(
    pairing =>
      pairing.parameters.every(({ place, name, value }) => {
        const sent = valueOf(place, name)
        return place === 'path'
          ? sent !== undefined && shownText(sent) === shownText(value)
          : deepEqual(sent, value, steps)
      }) &&
      (pairing.body === undefined || deepEqual(body(), pairing.body, steps)),
  )
}
