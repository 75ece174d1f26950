/** A grpc-js client of the A2A service, from the protocol definition itself. */
import {
  Metadata,
  credentials,
  loadPackageDefinition,
  type ChannelCredentials,
  type Client,
  type ClientReadableStream,
  type ServiceError,
} from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { join } from 'node:path'
import type { Json } from './a2a.ts'

const root = join(import.meta.dirname, '..', '..')
const loaded = loadPackageDefinition(
  loadSync(join(root, 'proto/lf/a2a/v1/a2a.proto'), { longs: Number, enums: String, bytes: Buffer, oneofs: true }),
) as Json

type Method = (...parameters: unknown[]) => unknown

export interface GrpcReply {
  message: Json
  initial: Metadata
}

export class GrpcCaller {
  readonly #client: Client & Record<string, Method>
  readonly #metadata: Record<string, string>

  constructor(target: string, metadata: Record<string, string> = {}, channel?: ChannelCredentials) {
    this.#client = new loaded.lf.a2a.v1.A2AService(target, channel ?? credentials.createInsecure())
    this.#metadata = metadata
  }

  close(): void {
    this.#client.close()
  }

  /** A unary call. Rejects with the status. */
  call(method: string, request: Json, metadata: Record<string, string> = {}, deadline?: number): Promise<GrpcReply> {
    return new Promise((resolve, reject) => {
      let initial = new Metadata()
      const call = this.#client[method]!(
        request,
        this.#fields(metadata),
        { deadline },
        (error: ServiceError | null, message: Json) => (error ? reject(error) : resolve({ message, initial })),
      ) as { on(event: 'metadata', listener: (metadata: Metadata) => void): void }
      call.on('metadata', received => (initial = received))
    })
  }

  open(method: string, request: Json, metadata: Record<string, string> = {}, deadline?: number) {
    return this.#client[method]!(request, this.#fields(metadata), { deadline }) as ClientReadableStream<Json>
  }

  /** All messages of a stream, and its final status. */
  stream(
    method: string,
    request: Json,
    metadata?: Record<string, string>,
  ): Promise<{ messages: Json[]; code: number }> {
    return new Promise(resolve => {
      const messages: Json[] = []
      const stream = this.open(method, request, metadata)
      stream.on('data', message => messages.push(message))
      stream.on('error', () => {})
      stream.on('status', ({ code }) => resolve({ messages, code }))
    })
  }

  #fields(more: Record<string, string>): Metadata {
    const metadata = new Metadata()
    for (const [name, value] of Object.entries({ ...this.#metadata, ...more })) metadata.set(name, value)
    return metadata
  }
}

export const grpcMessage = (text: string, more: object = {}) => ({
  messageId: 'm-1',
  role: 'ROLE_USER',
  parts: [{ text }],
  ...more,
})

/** A JSON value as a `google.protobuf.Struct`. */
export const struct = (fields: Record<string, number | string>) => ({
  fields: Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'number' ? { numberValue: value } : { stringValue: value },
    ]),
  ),
})
