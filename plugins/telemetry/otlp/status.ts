/** `google.rpc.Status`, which OTLP/HTTP answers with when a call fails, in the encoding of the request. */
import type { ErrorForm } from 'svc/plugin'
import { grpcStatusOf } from 'svc/toolkit'

export const PROTOBUF = 'application/x-protobuf'
export const JSON_TYPE = 'application/json'

/** The type of a body without its parameters, in lower case. */
export function mediaTypeOf(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase()
}

/** Errors of the core, thrown ones, and those of rules. */
export const statusForm: ErrorForm = ({ status, body }, { headers }) => {
  const text = [body.details, body.detail, body.message, body.error].find(value => typeof value === 'string')
  const message = String(text ?? `the call failed with ${status}`)
  const code = grpcStatusOf(status)
  return mediaTypeOf(headers['content-type']) === PROTOBUF
    ? { headers: { 'Content-Type': PROTOBUF }, body: encodeStatus(code, message) }
    : { headers: { 'Content-Type': JSON_TYPE }, body: { code, message } }
}

const VARINT = 0
const LEN = 2

/** Fields: code 1, message 2. */
function encodeStatus(code: number, message: string): Buffer {
  return Buffer.concat([encodeNumber(1, code), encodeText(2, message)])
}

/** The response of an export: fields of `partial_success` (1) are the number (1) and the message (2). Empty without one. */
export function encodePartialSuccess(rejected: number, message: string): Buffer {
  const content = Buffer.concat([encodeNumber(1, rejected), encodeText(2, message)])
  return Buffer.concat([Buffer.from([8 + LEN]), varint(content.length), content])
}

function encodeNumber(field: number, value: number): Buffer {
  return Buffer.concat([Buffer.from([field * 8 + VARINT]), varint(value)])
}

function encodeText(field: number, text: string): Buffer {
  const content = Buffer.from(text)
  return Buffer.concat([Buffer.from([field * 8 + LEN]), varint(content.length), content])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80)
    rest = Math.floor(rest / 0x80)
  }
  return Buffer.from([...bytes, rest])
}
