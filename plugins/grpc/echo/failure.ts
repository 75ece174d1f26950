/** The status and the details of `Fail` (google.rpc error model). */
import { Metadata, status, type ServiceError } from '@grpc/grpc-js'
import type { GrpcDefinitions } from '../types.ts'
import type { MapEntry } from './metadata.ts'

export interface FailRequest {
  code: number
  message: string
  reason: string
  retry_delay_ms: number
  metadata: MapEntry[]
}
type Failure = Pick<ServiceError, 'code' | 'details' | 'metadata'>

const MAX_CODE = 16
const MAX_MESSAGE = 1024
const MAX_REASON = 128
const MAX_METADATA = 32
const TYPE_URL = 'type.googleapis.com/'

/** Returns the requested failure, or null if the request asks for success. */
export function createFailures(
  { message }: GrpcDefinitions,
  instanceId: string,
): (request: FailRequest) => Failure | null {
  const pack = (name: string, value: object): object => ({
    type_url: TYPE_URL + name,
    value: message(name).serialize(value),
  })

  return request => {
    const { code, retry_delay_ms: retryDelayMs } = request
    if (code === status.OK) return null
    if (code < 0 || code > MAX_CODE)
      return {
        code: status.INVALID_ARGUMENT,
        details: `invalid code ${code} (expected an integer from 0 to ${MAX_CODE})`,
        metadata: new Metadata(),
      }
    const text = cut(request.message, MAX_MESSAGE) || `failed with ${status[code]} as requested`
    const details = [
      pack('google.rpc.ErrorInfo', {
        reason: cut(request.reason, MAX_REASON) || 'SVC_REQUESTED_FAILURE',
        domain: 'svc',
        metadata: [...request.metadata.slice(0, MAX_METADATA), { key: 'instance_id', value: instanceId }],
      }),
    ]
    if (retryDelayMs > 0)
      details.push(
        pack('google.rpc.RetryInfo', {
          retry_delay: { seconds: Math.floor(retryDelayMs / 1000), nanos: (retryDelayMs % 1000) * 1_000_000 },
        }),
      )
    const metadata = new Metadata()
    metadata.set('x-svc-fail', 'true')
    metadata.set('grpc-status-details-bin', message('google.rpc.Status').serialize({ code, message: text, details }))
    return { code, details: text, metadata }
  }
}

/** Truncates a text to a number of code points. */
function cut(text: string, length: number): string {
  return text.length <= length
    ? text
    : Array.from(text.slice(0, length * 2))
        .slice(0, length)
        .join('')
}
