/** The processor `instructions`: what agentgateway's test service does, by the header of the same name. */
import { isRecord } from 'svc/toolkit'
import { replaceWith } from '../bodies/pieces.ts'
import { type Changes, headerOf, type Message } from '../plan.ts'
import { isDuplex } from '../phase.ts'
import { StreamError } from '../stream-error.ts'
import type { Processor } from './processor.ts'

const HEADER = 'instructions'
const INVALID_ARGUMENT = 3

interface Instructions {
  addHeaders: Record<string, string>
  removeHeaders: string[]
  setBody: string | null
  setTrailers: Record<string, string>
}

export const instructions: Processor = {
  name: 'instructions',
  summary: `Does what the JSON in the header \`${HEADER}\` says: addHeaders, removeHeaders, setBody, setTrailers.`,
  open: () => ({
    headers(message) {
      const given = instructionsOf(message)
      return given === null ? null : changesOf(given, message)
    },
    // Without a limit of one answer for each message, a body can't be replaced with the headers.
    body(message) {
      const body = isDuplex(message.mode) ? instructionsOf(message)?.setBody : null
      return body == null ? null : { kind: 'pieces', pieces: replaceWith(Buffer.from(body)) }
    },
  }),
}

function changesOf({ addHeaders, removeHeaders, setBody, setTrailers }: Instructions, message: Message): Changes {
  const body = setBody === null ? null : Buffer.from(setBody)
  return {
    kind: 'changes',
    reason: 'by the header instructions',
    head: {
      set: [
        ...Object.entries(addHeaders),
        ...(body === null
          ? []
          : ([
              ['content-type', 'text/plain'],
              ['content-length', String(body.length)],
            ] as const)),
      ],
      remove: removeHeaders.map(name => name.toLowerCase()),
    },
    ...(body === null || (isDuplex(message.mode) && message.hasMore) ? {} : { replacement: body }),
    ...(Object.keys(setTrailers).length === 0 ? {} : { trailers: Object.entries(setTrailers) }),
  }
}

/** Null without the header. Throws a `StreamError` for one that can't be read. */
function instructionsOf(message: Message): Instructions | null {
  const text = headerOf(message, HEADER)
  if (text === undefined) return null
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    throw invalid('expected JSON')
  }
  if (!isRecord(given)) throw invalid('expected a JSON object')
  const { addHeaders = {}, removeHeaders = [], setBody, setTrailers = {} } = given as Record<string, unknown>
  if (!isTexts(addHeaders)) throw invalid('addHeaders: expected an object of texts')
  if (!isTexts(setTrailers)) throw invalid('setTrailers: expected an object of texts')
  if (!Array.isArray(removeHeaders) || !removeHeaders.every(name => typeof name === 'string'))
    throw invalid('removeHeaders: expected a list of names')
  if (setBody != null && typeof setBody !== 'string') throw invalid('setBody: expected a text')
  // An empty text means that there is no value, as in the message of the service.
  return { addHeaders, removeHeaders, setBody: setBody == null || setBody === '' ? null : setBody, setTrailers }
}

function isTexts(value: unknown): value is Record<string, string> {
  return isRecord(value) && !Array.isArray(value) && Object.values(value).every(text => typeof text === 'string')
}

function invalid(details: string): StreamError {
  return new StreamError(INVALID_ARGUMENT, `the header instructions can't be read: ${details}`)
}
