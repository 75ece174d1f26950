/** Parts of plans. */
import type { Plan } from '../catalog/check.ts'
import type { ConnectionSpec } from '../client/exchange.ts'
import type { RequestSpec } from '../client/request.ts'
import type { Field } from '../client/response-parser.ts'
import type { Action, StepScript } from '../upstream/script.ts'

/** One request on one connection. */
export function one(request: RequestSpec = {}, connection: Omit<ConnectionSpec, 'requests'> = {}): Plan {
  return { connections: [{ requests: [request], ...connection }] }
}

/** Each request on a connection of its own. */
export function each(requests: readonly RequestSpec[], connection: Omit<ConnectionSpec, 'requests'> = {}): Plan {
  return { connections: requests.map(request => ({ requests: [request], ...connection })) }
}

/** All requests one after the other on one connection. */
export function onOne(requests: RequestSpec[], connection: Omit<ConnectionSpec, 'requests'> = {}): Plan {
  return { connections: [{ requests, ...connection }] }
}

export interface Answer {
  status?: number
  reason?: string
  /** Default: Date, Content-Type and Cache-Control. */
  fields?: readonly Field[]
  body?: string
  /** `none`: no framing field. Default: by length. */
  framing?: 'length' | 'chunked' | 'none'
  /** After the answer. */
  then?: 'keep' | 'end' | 'reset'
  isRead?: boolean
}

export const DEFAULT_FIELDS: readonly Field[] = [
  ['Content-Type', 'text/plain'],
  ['Cache-Control', 'no-store'],
]

export function dateField(): Field {
  return ['Date', new Date().toUTCString()]
}

/** A complete answer as bytes. */
export function answerBytes({ status = 200, reason = 'OK', fields, body = '', framing = 'length' }: Answer): string {
  const own = fields ?? [dateField(), ...DEFAULT_FIELDS]
  const framed =
    framing === 'length'
      ? `Content-Length: ${body.length}\r\n`
      : framing === 'chunked'
        ? 'Transfer-Encoding: chunked\r\n'
        : ''
  const content =
    framing === 'chunked' ? `${body === '' ? '' : `${body.length.toString(16)}\r\n${body}\r\n`}0\r\n\r\n` : body
  return `HTTP/1.1 ${status} ${reason}\r\n${own.map(([name, value]) => `${name}: ${value}\r\n`).join('')}${framed}\r\n${content}`
}

/** A script that reads the request and answers. */
export function answers(answer: Answer): Action[] {
  return [
    ...(answer.isRead === false ? [] : [{ do: 'receive' } as const]),
    { do: 'bytes', bytes: answerBytes(answer) },
    { do: answer.then ?? 'keep' },
  ]
}

/** The script of a request whose answer does not depend on the step, or does: `step => …`. */
export function script(make: (step: number) => Answer): (step: number) => Action[] {
  return step => answers(make(step))
}

/** Body of the ordinary answer. */
export function probeBody(step: number): string {
  return `probe ${step}`
}

export const bytes = (text: string): Action => ({ do: 'bytes', bytes: text })
/** Content of an answer, which a HEAD does not get. */
export const content = (text: string): Action => ({ do: 'content', bytes: text })
export const wait = (ms: number): Action => ({ do: 'wait', ms })
export const RECEIVE: Action = { do: 'receive' }
export const KEEP: Action = { do: 'keep' }
export const END: Action = { do: 'end' }
export const RESET: Action = { do: 'reset' }
export type { Action, StepScript }

/** One chunk of the chunked coding. */
export function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`
}

/** Head of an answer without framing or with what is given. */
export function headBytes(fields: readonly Field[], status = '200 OK'): string {
  return `HTTP/1.1 ${status}\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
}

/** Deterministic bytes that no compression shortens. */
export function randomBytes(size: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(size)
  let state = seed * 2_654_435_761 + 1
  for (let at = 0; at < size; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[at] = state >>> 24
  }
  return bytes
}

/** The members of a field as one list. */
export function listMembers(values: readonly string[]): string[] {
  return values
    .flatMap(value => value.split(','))
    .map(value => value.trim())
    .filter(value => value !== '')
}

export function rfc(number: number, ...sections: string[]): { spec: string; section?: string }[] {
  return sections.length === 0
    ? [{ spec: `RFC ${number}` }]
    : sections.map(section => ({ spec: `RFC ${number}`, section }))
}

/** Short text of a value for a summary. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}
