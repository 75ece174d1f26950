/** Selects the response type by `Accept` (GraphQL over HTTP, 6.1; RFC 9110, 12.5.1). Never rejects a request. */
import { preferredType, splitField } from 'svc/toolkit'
import type { IncrementalFormat } from './wire/multipart/incremental.ts'

const RESPONSE = 'application/graphql-response+json'
const LEGACY = 'application/json'
const EVENT_STREAM = 'text/event-stream'
const PARTS = 'multipart/mixed'
const CALLBACK_SPEC = 'callbackspec'
const SUBSCRIPTION_SPEC = 'subscriptionspec'
const PAGE = 'text/html'
const MAX_RANGES = 64
const MAX_PARAMETERS = 16

export interface ResponseType {
  /** With the first, document errors have 4xx statuses (response mode); with the second, every well-formed request gets 200. */
  mediaType: typeof RESPONSE | typeof LEGACY
  /** When the response is an event stream: for subscriptions only, for every operation, or never. */
  eventStream: 'for subscriptions' | 'always' | 'never'
  /** The client takes subscriptions as `multipart/mixed`. */
  takesSubscriptionParts: boolean
  /** The client takes the events of subscriptions at a URL of its own (`callbackSpec=1.0`). */
  takesCallback: boolean
  /** The format of deferred parts that the client takes; null: one complete response. */
  incremental: IncrementalFormat | null
  /** The client is a browser. */
  isBrowser: boolean
}

const ONE_JSON: ResponseType = {
  mediaType: LEGACY,
  eventStream: 'never',
  takesSubscriptionParts: false,
  takesCallback: false,
  incremental: null,
  isBrowser: false,
}

export function selectResponseType(accept: string | undefined): ResponseType {
  if (accept === undefined) return ONE_JSON
  const json = preferredType(accept, [RESPONSE, LEGACY])
  const parts = partsOf(accept)
  return {
    mediaType: json === RESPONSE ? RESPONSE : LEGACY,
    eventStream: !isNamed(accept, EVENT_STREAM) ? 'never' : json === null ? 'always' : 'for subscriptions',
    takesSubscriptionParts: parts.some(parameters => parameters.has(SUBSCRIPTION_SPEC)),
    takesCallback: rangesOf(accept, LEGACY).some(parameters => parameters.get(CALLBACK_SPEC) === '1.0'),
    incremental: incrementalOf(parts),
    isBrowser: isNamed(accept, PAGE) && preferredType(accept, [PAGE, RESPONSE, LEGACY]) === PAGE,
  }
}

function partsOf(accept: string): Map<string, string>[] {
  return isNamed(accept, PARTS) ? rangesOf(accept, PARTS) : []
}

/** The parameters of the ranges of a type, by lower-case name. */
function rangesOf(accept: string, type: string): Map<string, string>[] {
  return splitField(accept, ',', MAX_RANGES)
    .map(range => splitField(range, ';', MAX_PARAMETERS))
    .filter(([name = '']) => name.trim().toLowerCase() === type)
    .map(([, ...parameters]) => new Map(parameters.map(parameterOf)))
}

function parameterOf(text: string): [name: string, value: string] {
  const [name = '', value = ''] = text.split('=', 2)
  return [name.trim().toLowerCase(), value.trim().replace(/^"([^"]*)"$/, '$1')]
}

/** The first format that a range names; the older one for a range without one. */
function incrementalOf(ranges: Map<string, string>[]): IncrementalFormat | null {
  for (const parameters of ranges) {
    if (parameters.get('incrementalspec') === 'v0.2') return 'incrementalSpec=v0.2'
    if (parameters.get('deferspec') === '20220824') return 'deferSpec=20220824'
    if ([...parameters.keys()].every(name => name === 'q' || name === 'boundary')) return 'deferSpec=20220824'
  }
  return null
}

/** Whether a GET request is for GraphiQL. */
export function wantsPage({ isBrowser }: ResponseType, query: string): boolean {
  if (!isBrowser) return false
  const parameters = new URLSearchParams(query)
  return !parameters.has('query') && !parameters.has('extensions')
}

/** Whether a type is listed by name, not only matched by a range such as any type. */
function isNamed(accept: string, type: string): boolean {
  return accept.toLowerCase().includes(type) && preferredType(accept, [type]) !== null
}
