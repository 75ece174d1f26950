/** The extension point `grpc.services`: gRPC services of plugins, served by one server on all listeners. */
import type { Metadata, ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js'
import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'

/** A service. Health checks, reflection, limits, fault metadata, the inspector and the metrics work as for the echo service. */
export interface GrpcService {
  /** Full name, such as `orders.v1.Orders`. */
  name: string
  /** Names of its methods. */
  methods: readonly string[]
  /** Names of response metadata that browsers may read (gRPC-Web). Lower case. */
  exposes?: readonly string[]
  /** Loads the implementation. Called once in each generation, with the first gRPC call. */
  open(): GrpcImplementation | Promise<GrpcImplementation>
}

export interface GrpcImplementation {
  definition: ServiceDefinition
  /** By method name, as for `addService` of `@grpc/grpc-js`. Called for calls that limits and faults let through. */
  handlers: UntypedServiceImplementation
  /** The FileDescriptorSet (binary) with the file of the service and its imports, for reflection. */
  reflection: Buffer
}

/** The extension point. */
export interface GrpcServices {
  /** Throws if the name is invalid or in use; the error names both plugins. */
  service(service: GrpcService): void
  /** The request of a call, for `svc.http`. Undefined once the call has ended. */
  requestOf(call: { metadata: Metadata }): IncomingMessage | Http2ServerRequest | undefined
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'grpc.services': GrpcServices
  }
}
