/** Calls any gRPC service by the names of its methods, from the `.proto` files of the checkout. */
import { join } from 'node:path'
import {
  Client,
  credentials,
  Metadata,
  type ChannelCredentials,
  type ClientOptions,
  type MethodDefinition,
  type ServiceDefinition,
  type StatusObject,
} from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'

// biome-ignore lint/suspicious/noExplicitAny: replies are compared with what a test expects.
export type Message = any

export interface Outcome {
  messages: Message[]
  initial: Metadata | undefined
  code: number
  details: string
  trailers: Metadata
}

export interface CallSettings {
  metadata?: Record<string, string | Buffer>
  /** Called with each reply; true cancels the call. */
  cancelAt?: (message: Message) => boolean
}

const FOLDER = join(import.meta.dirname, '..', '..', 'proto')

/** The definitions of `proto/<file>`. Numbers of 64 bits are texts; fields that are absent have their default. */
export function loadProto(file: string): Record<string, ServiceDefinition> {
  const loaded = loadSync(join(FOLDER, file), {
    keepCase: true,
    longs: String,
    enums: String,
    defaults: true,
    includeDirs: [FOLDER],
  })
  return loaded as unknown as Record<string, ServiceDefinition>
}

export class GrpcCaller {
  readonly #client: Client
  readonly #definition: ServiceDefinition

  constructor(
    target: string,
    definition: ServiceDefinition,
    settings: ClientOptions & { channel?: ChannelCredentials } = {},
  ) {
    const { channel = credentials.createInsecure(), ...options } = settings
    this.#client = new Client(target, channel, options)
    this.#definition = definition
  }

  close(): void {
    this.#client.close()
  }

  /** Sends all requests, ends, and collects everything until the status. */
  call(
    method: string,
    requests: Message | Message[] = {},
    { metadata = {}, cancelAt }: CallSettings = {},
  ): Promise<Outcome> {
    const { path, requestSerialize, responseDeserialize } = this.#definition[method] as MethodDefinition<
      Message,
      Message
    >
    const sent = new Metadata()
    for (const [name, value] of Object.entries(metadata)) sent.add(name, value)
    // Every method works as one with streams in both directions.
    const stream = this.#client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, sent, {
      deadline: Date.now() + 60_000,
    })
    const messages: Message[] = []
    let initial: Metadata | undefined
    stream.on('metadata', (received: Metadata) => {
      initial = received
    })
    stream.on('data', (message: Message) => {
      messages.push(message)
      if (cancelAt?.(message) === true) stream.cancel()
    })
    stream.on('error', () => {})
    const ended = new Promise<Outcome>(resolve => {
      stream.on('status', ({ code, details, metadata: trailers }: StatusObject) =>
        resolve({ messages, initial, code, details, trailers }),
      )
    })
    for (const request of [requests].flat()) stream.write(request)
    stream.end()
    return ended
  }
}
