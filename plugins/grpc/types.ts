/** The extension point `grpc.services`: gRPC services of plugins, served by one server on all listeners. */
import type {
  Metadata,
  sendUnaryData,
  ServerDuplexStream,
  ServerUnaryCall,
  ServerWritableStream,
  ServiceDefinition,
  UntypedServiceImplementation,
} from '@grpc/grpc-js'
import type { MessageTypeDefinition, Options } from '@grpc/proto-loader'
import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'

/** A service. Health checks, reflection, limits, fault metadata, the inspector and the metrics work as for the echo service. */
export interface GrpcService {
  /** Full name, such as `orders.v1.Orders`. Of the packages of gRPC itself, those below `grpc.testing` are allowed. */
  name: string
  /** Names of its methods. One that is in the definition and not here is not implemented. */
  methods: readonly string[]
  /** Names of response metadata that browsers may read (gRPC-Web). Lower case. */
  exposes?: readonly string[]
  /** Further names of health checks, while the service is served. Throws for a name in use. */
  health?: readonly HealthName[]
  /** The service asks with `wasCompressed` which messages were compressed. */
  readsCompression?: true
  /** Loads the implementation. Called once in each generation: soon after the start if a gRPC port is open, else with the first gRPC call. */
  open(): GrpcImplementation | Promise<GrpcImplementation>
}

/** A name of the health service that is not that of a service, such as `readiness`. */
export interface HealthName {
  name: string
  /** Default: as the instance. An unhealthy instance is not serving. */
  isServing?(): boolean
  /** Calls `listener` when `isServing` may have changed. Returns a function that removes it. */
  onChange?(listener: () => void): () => void
}

export interface GrpcImplementation {
  definition: ServiceDefinition
  /**
   * By method name, as for `addService` of `@grpc/grpc-js`. Called for calls that limits and faults let through. A handler
   * that throws, or rejects with, an error with `code` and `details` (as `ServiceError`) ends the call with that status;
   * with any other error it ends with INTERNAL.
   */
  handlers: UntypedServiceImplementation
  /** The FileDescriptorSet (binary) with the file of the service and its imports, for reflection. */
  reflection: Buffer
}

/** The extension point. */
export interface GrpcServices {
  /** Throws if the name is invalid or in use; the error names both plugins. */
  service(service: GrpcService): void
  /**
   * Reads a FileDescriptorSet (binary), for `open`. It takes up to a tenth of a second: keep the result with `svc.shared`. `forms` are
   * the options of `@grpc/proto-loader`; without them names are as in the source, 64-bit integers numbers, enumeration values texts,
   * and absent fields have their defaults. Rejects if the bytes aren't a descriptor set.
   */
  definitions(descriptorSet: Buffer, forms?: Options): Promise<GrpcDefinitions>
  /** The request of a call, for `svc.http`. Undefined once the call has ended. */
  requestOf(call: { metadata: Metadata }): IncomingMessage | Http2ServerRequest | undefined
  /**
   * Adds trailing metadata to the calls of all services that end with OK. `read` is called when a call ends and returns the fields,
   * by name, or null. Call it while the plugin registers.
   */
  trailers(read: (call: { metadata: Metadata }) => Readonly<Record<string, string | Buffer>> | null): void
  /** The error with which a handler ends its call with this status: throw it. */
  failure(code: number, details: string): Error & { code: number; details: string }
  /**
   * The handler of a unary method whose answer `answer` resolves to. It gets the request for `svc.http`; a call that has ended before
   * ends with CANCELLED. An `HttpError`, such as that of a header that can't be read, ends the call with INVALID_ARGUMENT and its details.
   */
  unary<Message, Answer>(
    answer: (
      call: ServerUnaryCall<Message, Answer>,
      request: IncomingMessage | Http2ServerRequest,
    ) => Answer | Promise<Answer>,
  ): (call: ServerUnaryCall<Message, Answer>, reply: sendUnaryData<Answer>) => Promise<void>
  /** Writes the messages of a streaming call. Call it once for each call, before anything else is awaited. */
  writer(call: ServerWritableStream<object, unknown> | ServerDuplexStream<object, unknown>): CallWriter
  /**
   * Whether the next message of a call was compressed, for services with `readsCompression`. Call it once for each message, in
   * order.
   */
  wasCompressed(call: { metadata: Metadata }): boolean
}

/** A descriptor set that has been read. */
export interface GrpcDefinitions {
  /** As given, for reflection. */
  descriptorSet: Buffer
  /** The definition of a service by its full name. Throws if the set has no such service. */
  service(name: string): ServiceDefinition
  /** The type of a message by its full name. Throws if the set has no such message. */
  message(name: string): MessageTypeDefinition<object, object>
}

/** Writes messages at the pace of the client. */
export interface CallWriter {
  /** Aborts when the call is cancelled. */
  readonly signal: AbortSignal
  /** Resolves when more can be written, with false if the call is cancelled. */
  write(message: unknown): Promise<boolean>
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'grpc.services': GrpcServices
  }
}
