/** Selects the format of a result: one of the two JSON media types, or an event stream. */
import type { Plugin, getSSEProcessor, processRegularResult } from 'graphql-yoga'
import type { AnswerType } from '../answer-type.ts'
import { subscriptionNotSupported } from '../errors.ts'
import type { ChosenOperation } from './operation-choice.ts'

interface AnswerContext extends ChosenOperation {
  answerType: AnswerType
}
/** Yoga's result processors. */
export interface ResultProcessors {
  json: typeof processRegularResult
  eventStream: ReturnType<typeof getSSEProcessor>
}

/** Yoga ignores quality values in `Accept`, responds with 406, and sends even rejected requests as event streams. */
export function useAnswerForm({ json, eventStream }: ResultProcessors): Plugin<AnswerContext, AnswerContext> {
  return {
    onSubscribe({ args: { contextValue }, setResultAndStopExecution }) {
      // A WebSocket has no response format to select.
      const { answerType } = contextValue as Partial<AnswerContext>
      if (answerType?.eventStream === 'never') setResultAndStopExecution({ errors: [subscriptionNotSupported()] })
    },
    onResultProcess({ serverContext, setResultProcessor }) {
      if (isStreamed(serverContext)) setResultProcessor(eventStream, 'text/event-stream')
      else setResultProcessor(json, serverContext.answerType.mediaType)
    },
  }
}

/** The response to a rejected request, which has no operation, is JSON. */
function isStreamed({ answerType, operationType }: AnswerContext): boolean {
  if (operationType === undefined) return false
  return (
    answerType.eventStream === 'always' ||
    (answerType.eventStream === 'for subscriptions' && operationType === 'subscription')
  )
}
