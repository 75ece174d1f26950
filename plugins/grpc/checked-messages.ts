/** Refuses messages that grpc-js and protobufjs would accept although they are malformed. */
import { status, type ServerInterceptingCallInterface, type ServiceDefinition } from '@grpc/grpc-js'
import { NO_ENCODING } from './bridge/headers.ts'

/**
 * The status of a call: INTERNAL if a message has the compressed flag and `grpc-encoding` is missing or `identity` (gRPC
 * compression, "Specification"), for which the library has UNIMPLEMENTED with the name above.
 */
export function withoutUnnamedCoding(given: PartialStatusObject): PartialStatusObject {
  if (given.code !== status.UNIMPLEMENTED || given.details?.includes(`"${NO_ENCODING}"`) !== true) return given
  const details = 'a message has the compressed flag, but grpc-encoding names no compression'
  return { ...given, code: status.INTERNAL, details }
}

type PartialStatusObject = Parameters<ServerInterceptingCallInterface['sendStatus']>[0]

/** The definition with a check of each message before it is deserialized; grpc-js ends the call with INTERNAL if it throws. */
export function withCheckedRequests(definition: ServiceDefinition): ServiceDefinition {
  const definitions: Record<string, ServiceDefinition[string]> = {}
  for (const [name, method] of Object.entries(definition))
    definitions[name] = {
      ...method,
      requestDeserialize(bytes) {
        checkFields(bytes)
        return method.requestDeserialize(bytes)
      },
    }
  return definitions
}

/**
 * Throws if a field of the message exceeds its end (Protocol Buffers encoding, "Message structure"). protobufjs accepts a
 * string that is cut off.
 */
export function checkFields(bytes: Uint8Array): void {
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let shift = 0; shift < 70; shift += 7) {
      if (at >= bytes.length) break
      const byte = bytes[at++]!
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
    throw new Error('a number is cut off or too long')
  }
  while (at < bytes.length) {
    const wireType = varint() % 8
    if (wireType === 0) varint()
    else if (wireType === 1) at += 8
    else if (wireType === 2) {
      const length = varint()
      at += length
    } else if (wireType === 5) at += 4
    // Groups (3, 4) have no length.
    if (at > bytes.length) throw new Error('a field is cut off')
  }
}
