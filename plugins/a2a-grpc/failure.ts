/** The status of a failed call, with the error details of the protocol (google.rpc error model; A2A 1.0, 10.6). */
import { Metadata, status, type ServiceError } from '@grpc/grpc-js'
import type { MessageTypeDefinition } from '@grpc/proto-loader'
import type { A2aFailure } from '../a2a/types.ts'
import { fromJson } from './conversion.ts'
import type { Shape } from './shapes.ts'

export type Failure = Pick<ServiceError, 'code' | 'details' | 'metadata'>
export type MessageTypes = (name: string) => MessageTypeDefinition<object, object>

/** `google.rpc.ErrorInfo` and `BadRequest`. */
const DETAIL: Shape = { fields: { metadata: 'map', fieldViolations: { fields: {} } } }
const TYPE_URL = 'type.googleapis.com/'

export function failureOf({ message, status: name, details }: A2aFailure, types: MessageTypes): Failure {
  const code = status[name as keyof typeof status] as status
  const packed = details.map(({ '@type': type, ...detail }) => {
    const typeUrl = String(type)
    const value = types(typeUrl.slice(TYPE_URL.length)).serialize(fromJson(detail, DETAIL))
    return { type_url: typeUrl, value }
  })
  const metadata = new Metadata()
  metadata.set('grpc-status-details-bin', types('google.rpc.Status').serialize({ code, message, details: packed }))
  return { code, details: message, metadata }
}

export function internal(): Failure {
  return { code: status.INTERNAL, details: 'internal error', metadata: new Metadata() }
}
