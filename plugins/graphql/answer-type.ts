/** Chooses what an answer looks like from `Accept` (GraphQL over HTTP, 6.1; RFC 9110, 12.5.1). Nothing is refused. */
import { preferredType } from 'svc/plugin'

const RESPONSE = 'application/graphql-response+json'
const LEGACY = 'application/json'
const EVENT_STREAM = 'text/event-stream'
const PAGE = 'text/html'

export interface AnswerType {
  /** `response`: failures of a document have statuses. `legacy`: every well-formed request gets 200. */
  mode: 'response' | 'legacy'
  contentType: string
  /** Whether an event stream is wanted: for a subscription, for whatever is asked, or not at all. */
  eventStream: 'for subscriptions' | 'always' | 'never'
  /** A browser asks, not a client. */
  isPageWanted: boolean
}

const LEGACY_TYPE = `${LEGACY}; charset=utf-8`

export function chooseAnswerType(accept: string | undefined): AnswerType {
  if (accept === undefined) return { mode: 'legacy', contentType: LEGACY_TYPE, eventStream: 'never', isPageWanted: false }
  const json = preferredType(accept, [RESPONSE, LEGACY])
  return {
    mode: json === RESPONSE ? 'response' : 'legacy',
    contentType: json === RESPONSE ? `${RESPONSE}; charset=utf-8` : LEGACY_TYPE,
    eventStream: !isNamed(accept, EVENT_STREAM) ? 'never' : json === null ? 'always' : 'for subscriptions',
    isPageWanted: isNamed(accept, PAGE) && preferredType(accept, [PAGE, RESPONSE, LEGACY]) === PAGE,
  }
}

/** Whether a type is asked for by its name and not only by a range. */
function isNamed(accept: string, type: string): boolean {
  return accept.toLowerCase().includes(type) && preferredType(accept, [type]) !== null
}
