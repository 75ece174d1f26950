/** SOAP faults with the codes of SOAP 1.2; SOAP 1.1 has other names for the same codes. */
import type { Element } from './xml/element.ts'

export type FaultCode = 'Sender' | 'Receiver' | 'VersionMismatch' | 'MustUnderstand'

/** Thrown to reject a message; sent as a fault. */
export class SoapFault extends Error {
  readonly code: FaultCode
  /** A short text, the same for every occurrence of this fault. */
  readonly reason: string
  /** The details of this occurrence. */
  readonly detail: string
  /** Header blocks that were not understood (SOAP 1.2, 5.4.8). */
  readonly notUnderstood: readonly Element[]
  constructor(code: FaultCode, reason: string, detail: string, notUnderstood: readonly Element[] = []) {
    super(reason)
    this.code = code
    this.reason = reason
    this.detail = detail
    this.notUnderstood = notUnderstood
  }
}

export const malformed = (detail: string): SoapFault => new SoapFault('Sender', 'Malformed XML', detail)
export const unsupportedEncoding = (label: string): SoapFault =>
  new SoapFault('Sender', 'Unsupported encoding', `unknown encoding ${JSON.stringify(label.slice(0, 60))}`)
export const notSoap = (name: string): SoapFault =>
  new SoapFault('Sender', 'Not a SOAP message', `the root element is ${name} (expected Envelope)`)
export const unsupportedEnvelope = (namespace: string): SoapFault =>
  new SoapFault(
    'VersionMismatch',
    'Unsupported SOAP envelope namespace',
    namespace === '' ? 'the Envelope has no namespace' : `the namespace of the Envelope is ${namespace}`,
  )
export const headerNotUnderstood = (blocks: readonly Element[]): SoapFault =>
  new SoapFault(
    'MustUnderstand',
    'Header not understood',
    blocks.map(({ namespace, local }) => `{${namespace}}${local}`).join(', '),
    blocks,
  )
export const emptyBody = (): SoapFault => new SoapFault('Sender', 'Empty Body', 'the Body contains no element')
export const unknownOperation = (name: string, known: readonly string[]): SoapFault =>
  new SoapFault('Sender', 'Unknown operation', `unknown operation ${name} (expected ${known.join(', ')})`)
export const missingField = (name: string): SoapFault => new SoapFault('Sender', 'Missing field', `${name} is required`)
export const invalidField = (name: string, expected: string): SoapFault =>
  new SoapFault('Sender', 'Invalid field', `${name} must be ${expected}`)
export const tooManyFields = (limit: number): SoapFault =>
  new SoapFault('Sender', 'Too many fields', `at most ${limit} fields are allowed`)
export const methodNotAllowed = (address: string): SoapFault =>
  new SoapFault('Sender', 'Method not allowed', `send messages with POST; the WSDL is at ${address}`)
