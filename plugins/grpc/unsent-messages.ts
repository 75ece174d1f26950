/**
 * Bounds the messages that wait for a client that reads slowly. grpc-js counts messages, not bytes: it would queue sixteen
 * of 4 MiB in each direction of a call.
 */
import {
  ServerInterceptingCall,
  type ServerDuplexStream,
  type ServerInterceptor,
  type ServerWritableStream,
  type ServiceDefinition,
  type sendUnaryData,
} from '@grpc/grpc-js'

export type WritingCall = ServerWritableStream<object, unknown> | ServerDuplexStream<object, unknown>
type Written = (error?: Error | null) => void
type Serialize = (message: unknown) => Buffer

/** Counts bytes until the returned function is called. */
export type Hold = (bytes: number) => () => void

/** Reads the next message of a call only when the replies so far have been taken by its HTTP/2 stream. */
export const readWhenSent: ServerInterceptor = (_method, call) => {
  let sending = 0
  let isReadWanted = false
  const startRead = call.startRead.bind(call)
  call.startRead = () => {
    if (sending === 0) startRead()
    else isReadWanted = true
  }
  const sendMessage = call.sendMessage.bind(call)
  call.sendMessage = (message, callback) => {
    sending++
    sendMessage(message, () => {
      sending--
      if (sending === 0 && isReadWanted) {
        isReadWanted = false
        startRead()
      }
      callback()
    })
  }
  return new ServerInterceptingCall(call)
}

/** A message in serialized form, to know its size. */
class Serialized {
  readonly length: number
  #bytes: Buffer | null
  constructor(bytes: Buffer) {
    this.length = bytes.length
    this.#bytes = bytes
  }

  /** Once: grpc-js copies them, and keeps the message until the copy is sent. */
  take(): Buffer {
    const bytes = this.#bytes ?? Buffer.alloc(0)
    this.#bytes = null
    return bytes
  }
}

/** The definition of a service whose methods are called with `countWrites` and `countReply`. */
export function withSerialized(definition: ServiceDefinition): ServiceDefinition {
  const definitions: Record<string, ServiceDefinition[string]> = {}
  for (const [name, method] of Object.entries(definition))
    definitions[name] = {
      ...method,
      responseSerialize: message =>
        (message as unknown) instanceof Serialized ? message.take() : method.responseSerialize(message),
    }
  return definitions
}

/** Counts what a method writes until it is sent. Above the limit its `write` returns false, as for a full stream. */
export function countWrites(call: WritingCall, serialize: Serialize, hold: Hold, limit: number): void {
  let unsent = 0
  let needsDrain = false
  const write = call.write.bind(call) as (message: unknown, written: Written) => boolean
  call.write = (message: unknown, ...rest: unknown[]): boolean => {
    const callback = rest.find(argument => typeof argument === 'function') as Written | undefined
    const serialized = serializedOf(message, serialize)
    const bytes = serialized?.length ?? 0
    const release = hold(bytes)
    unsent += bytes
    const goesOn = write(serialized ?? message, error => {
      release()
      unsent -= bytes
      callback?.(error)
      if (!needsDrain || unsent > limit) return
      needsDrain = false
      if (!call.writableNeedDrain) call.emit('drain')
    })
    if (unsent > limit) needsDrain = true
    return goesOn && !needsDrain
  }
}

/** Counts the reply of a method until the call has ended. */
export function countReply(reply: sendUnaryData<unknown>, serialize: Serialize, hold: Hold): sendUnaryData<unknown> {
  return (error, message, ...rest) => {
    const serialized = error === null && message != null ? serializedOf(message, serialize) : null
    if (serialized !== null) hold(serialized.length)
    reply(error, serialized ?? message, ...rest)
  }
}

/** Null for a message without a serialized form; grpc-js then ends the call with the status for it. */
function serializedOf(message: unknown, serialize: Serialize): Serialized | null {
  try {
    return new Serialized(serialize(message))
  } catch {
    return null
  }
}
