/** Selects the response type by `Accept` (GraphQL over HTTP, 6.1; RFC 9110, 12.5.1). Never rejects a request. */
import { preferredType } from 'svc/toolkit'

const RESPONSE = 'application/graphql-response+json'
const LEGACY = 'application/json'
const EVENT_STREAM = 'text/event-stream'
const PAGE = 'text/html'

export interface ResponseType {
  /** With the first, document errors have 4xx statuses (response mode); with the second, every well-formed request gets 200. */
  mediaType: typeof RESPONSE | typeof LEGACY
  /** When the response is an event stream: for subscriptions only, for every operation, or never. */
  eventStream: 'for subscriptions' | 'always' | 'never'
  /** The client is a browser. */
  isBrowser: boolean
}

export function selectResponseType(accept: string | undefined): ResponseType {
  if (accept === undefined) return { mediaType: LEGACY, eventStream: 'never', isBrowser: false }
  const json = preferredType(accept, [RESPONSE, LEGACY])
  return {
    mediaType: json === RESPONSE ? RESPONSE : LEGACY,
    eventStream: !isNamed(accept, EVENT_STREAM) ? 'never' : json === null ? 'always' : 'for subscriptions',
    isBrowser: isNamed(accept, PAGE) && preferredType(accept, [PAGE, RESPONSE, LEGACY]) === PAGE,
  }
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
