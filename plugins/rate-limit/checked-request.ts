/** The checked request of a call: a rate-limit call has none, but entries of its descriptors may say what it is about. */
import { firstRawHeader } from 'svc/toolkit'
import type { CheckedRequest, GivenRequest } from '../gateway-services/types.ts'
import { FAULT_ENTRY, RATE_LIMIT_HEADER } from './fault-entry.ts'
import type { Descriptor, LimitCall } from './limit.ts'

/** Headers of the call that belong to the checked request, because gateways hand them on. */
const HANDED_ON = ['x-request-id', 'traceparent']
const PATH = /^\/[\x21-\x7e\x80-\xff]*$/
const MAX_PATH = 8192
const MAX_TEXT = 300

/** `rawHeaders` and `gatewayIp` are those of the call. */
export function readChecked(call: LimitCall, rawHeaders: readonly string[], gatewayIp: string): GivenRequest {
  const entry = (key: string): string | undefined => {
    const value = valueOf(call, key)
    return value === undefined || value === '' ? undefined : value
  }
  const path = entry('path')
  const authority = entry('authority')
  const fault = valueOf(call, FAULT_ENTRY)
  const handedOn = HANDED_ON.flatMap(name => {
    const value = firstRawHeader(rawHeaders, name)
    return value === undefined ? [] : [name, value]
  })
  return {
    method: entry('method')?.slice(0, MAX_TEXT) ?? '',
    url: path !== undefined && path.length <= MAX_PATH && PATH.test(path) ? path : '/',
    scheme: 'http',
    clientIp: entry('remote_address')?.slice(0, MAX_TEXT) ?? gatewayIp,
    rawHeaders: [
      ...(authority === undefined ? [] : ['host', authority.slice(0, MAX_TEXT)]),
      ...handedOn,
      ...(fault === undefined ? [] : [RATE_LIMIT_HEADER, fault]),
    ],
    body: Buffer.alloc(0),
  }
}

/** The call as the limits see it: without the fault that it asks for, and with the path without the prefix of the session. */
export function limitedCall(call: LimitCall, { url, receivedUrl }: CheckedRequest): LimitCall {
  const isPrefixed = url !== receivedUrl
  const limited = (descriptor: Descriptor): Descriptor => {
    if (!descriptor.entries.some(({ key }) => key === FAULT_ENTRY || key === 'path')) return descriptor
    const entries = descriptor.entries
      .filter(({ key }) => key !== FAULT_ENTRY)
      .map(entry =>
        isPrefixed && entry.key === 'path' && entry.value === receivedUrl ? { ...entry, value: url } : entry,
      )
    return { ...descriptor, entries }
  }
  return { ...call, descriptors: call.descriptors.map(limited) }
}

function valueOf({ descriptors }: LimitCall, key: string): string | undefined {
  for (const { entries } of descriptors) {
    const entry = entries.find(one => one.key === key)
    if (entry !== undefined) return entry.value
  }
  return undefined
}
