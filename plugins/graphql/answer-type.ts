/** Chooses what an answer looks like from `Accept` (GraphQL over HTTP, 6.1; RFC 9110, 12.5.1). Nothing is refused. */
import { preferredType } from 'svc/plugin'

const RESPONSE = 'application/graphql-response+json'
const LEGACY = 'application/json'
const EVENT_STREAM = 'text/event-stream'
const PAGE = 'text/html'

export interface AnswerType {
  /** With the first, failures of a document have statuses (response mode); with the second, every well-formed request gets 200. */
  mediaType: typeof RESPONSE | typeof LEGACY
  /** Whether an event stream is wanted: for a subscription, for whatever is asked, or not at all. */
  eventStream: 'for subscriptions' | 'always' | 'never'
  /** A browser asks, not a client. */
  isPageWanted: boolean
}

export function chooseAnswerType(accept: string | undefined): AnswerType {
  if (accept === undefined) return { mediaType: LEGACY, eventStream: 'never', isPageWanted: false }
  const json = preferredType(accept, [RESPONSE, LEGACY])
  return {
    mediaType: json === RESPONSE ? RESPONSE : LEGACY,
    eventStream: !isNamed(accept, EVENT_STREAM) ? 'never' : json === null ? 'always' : 'for subscriptions',
    isPageWanted: isNamed(accept, PAGE) && preferredType(accept, [PAGE, RESPONSE, LEGACY]) === PAGE,
  }
}

/** Whether a type is asked for by its name and not only by a range. */
function isNamed(accept: string, type: string): boolean {
  return accept.toLowerCase().includes(type) && preferredType(accept, [type]) !== null
}
