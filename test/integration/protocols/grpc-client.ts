/** A grpc-js client for the services of the product, with promises. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  Metadata,
  credentials,
  loadPackageDefinition,
  type ChannelCredentials,
  type Client,
  type ClientDuplexStream,
  type ClientOptions,
  type ClientReadableStream,
  type ClientUnaryCall,
  type ClientWritableStream,
  type ServiceError,
} from '@grpc/grpc-js'
import { loadFileDescriptorSetFromBuffer, loadSync } from '@grpc/proto-loader'
import { service as healthService } from 'grpc-health-check'
import { DESCRIPTOR_SET } from '../../../proto/compile.ts'

export interface EchoResponse {
  message: string
  metadata: Record<string, string>
  instance_id: string
  index: number
  grpc_timeout: string
  deadline_ms: number
}
type Callback = (error: ServiceError | null, response: EchoResponse) => void
export interface CallOptions {
  deadline?: number
}

export interface EchoClient extends Client {
  Echo(request: object, metadata: Metadata, options: CallOptions, callback: Callback): ClientUnaryCall
  Fail(request: object, metadata: Metadata, options: CallOptions, callback: Callback): ClientUnaryCall
  ServerStream(request: object, metadata?: Metadata, options?: CallOptions): ClientReadableStream<EchoResponse>
  ClientStream(metadata: Metadata, options: CallOptions, callback: Callback): ClientWritableStream<object>
  BidiStream(metadata?: Metadata, options?: CallOptions): ClientDuplexStream<object, EchoResponse>
}

const options = { keepCase: true, longs: Number, enums: String, defaults: true, oneofs: true }
/** Types of the checked-in descriptor set; maps are lists of entries. */
export const definitions = loadFileDescriptorSetFromBuffer(readFileSync(DESCRIPTOR_SET), options)
const packages = loadPackageDefinition({
  ...definitions,
  ...loadSync(join(import.meta.dirname, '../../../proto/svc/echo/v1/echo.proto'), options),
  'grpc.health.v1.Health': healthService,
})

/** Any service by its full name. */
export function connectTo<C extends Client>(
  service: string,
  target: string,
  channel: ChannelCredentials = credentials.createInsecure(),
  settings: ClientOptions = {},
): C {
  const constructor = service
    .split('.')
    .reduce<unknown>((scope, name) => (scope as Record<string, unknown>)[name], packages) as new (
    target: string,
    channel: ChannelCredentials,
    options: ClientOptions,
  ) => C
  return new constructor(target, channel, settings)
}

export function echoClient(target: string, channel?: ChannelCredentials, options?: ClientOptions): EchoClient {
  return connectTo<EchoClient>('svc.echo.v1.EchoService', target, channel, options)
}

export function metadataOf(entries: Record<string, string | Buffer>): Metadata {
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(entries)) metadata.add(name, value)
  return metadata
}

/** A unary call. Rejects with the status. */
export function call(
  client: EchoClient,
  method: 'Echo' | 'Fail',
  request: object,
  { metadata = new Metadata(), ...options }: CallOptions & { metadata?: Metadata } = {},
): Promise<EchoResponse> {
  return new Promise((resolve, reject) => {
    client[method](request, metadata, options, (error, response) =>
      error === null ? resolve(response) : reject(error),
    )
  })
}

/** All messages of a stream, and its final status. */
export function collect<T>(stream: ClientReadableStream<T>): Promise<{ messages: T[]; code: number; details: string }> {
  return new Promise(resolve => {
    const messages: T[] = []
    stream.on('data', (message: T) => messages.push(message))
    stream.on('error', () => {})
    stream.on('status', ({ code, details }) => resolve({ messages, code, details }))
  })
}

/** The status of a call that is expected to fail. */
export function failureOf(promise: Promise<unknown>): Promise<ServiceError> {
  return promise.then(
    () => {
      throw new Error('the call succeeded')
    },
    (error: ServiceError) => error,
  )
}
