/** Selects the format of a result: one of the two JSON media types, or an event stream. */
import type { Plugin, getSSEProcessor, processRegularResult } from 'graphql-yoga'
import type { ResponseType } from '../response-type.ts'
import { subscriptionNotSupported } from '../errors.ts'
import type { SelectedOperation } from './operation-selection.ts'

interface FormatContext extends SelectedOperation {
  responseType: ResponseType
}
/** Yoga's result processors. */
export interface ResultProcessors {
  json: typeof processRegularResult
  eventStream: ReturnType<typeof getSSEProcessor>
}

/** Yoga ignores quality values in `Accept`, responds with 406, and sends even rejected requests as event streams. */
export function useResponseFormat(
  { json, eventStream }: ResultProcessors,
  path: string,
): Plugin<FormatContext, FormatContext> {
  return {
    onSubscribe({ args: { contextValue }, setResultAndStopExecution }) {
      // A WebSocket has no response format to select.
      const { responseType } = contextValue as Partial<FormatContext>
      if (responseType?.eventStream === 'never') setResultAndStopExecution({ errors: [subscriptionNotSupported(path)] })
    },
    onResultProcess({ serverContext, setResultProcessor }) {
      if (isStreamed(serverContext)) setResultProcessor(eventStream, 'text/event-stream')
      else setResultProcessor(json, serverContext.responseType.mediaType)
    },
  }
}

/** The response to a rejected request, which has no operation, is JSON. */
function isStreamed({ responseType, operationType }: FormatContext): boolean {
  if (operationType === undefined) return false
  return (
    responseType.eventStream === 'always' ||
    (responseType.eventStream === 'for subscriptions' && operationType === 'subscription')
  )
}
