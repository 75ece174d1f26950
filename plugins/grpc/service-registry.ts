/** Owns the registered services; names are unique. */
import type { GrpcService, GrpcServices } from './types.ts'

/** Package, service: identifiers separated by dots. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,99}(?:\.[A-Za-z_][A-Za-z0-9_]{0,99}){1,15}$/
/** Without dots, which services have. */
const HEALTH_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,99}$/
/** Packages of services that the server itself provides. */
const RESERVED = /^(?:grpc\.(?!testing\.)|svc\.bridge\.)/

export class ServiceRegistry {
  readonly #services = new Map<string, { plugin: string; service: GrpcService }>()
  readonly #paths = new Set<string>()
  readonly #healthNames = new Set<string>()
  /** What plugins add to the trailing metadata of calls. */
  readonly trailers: Parameters<GrpcServices['trailers']>[0][] = []

  add(plugin: string, service: GrpcService): void {
    const { name, methods } = service
    if (!NAME.test(name) || RESERVED.test(name))
      throw new Error(`invalid gRPC service name "${name}" (expected a full name, such as orders.v1.Orders)`)
    const owner = this.#services.get(name)?.plugin
    if (owner !== undefined)
      throw new Error(`gRPC service "${name}" of plugin ${plugin} is already registered by plugin ${owner}`)
    for (const health of service.health ?? []) {
      if (!HEALTH_NAME.test(health.name) || this.#healthNames.has(health.name))
        throw new Error(`health name "${health.name}" of plugin ${plugin} is invalid, or in use`)
      this.#healthNames.add(health.name)
    }
    if (methods.length === 0) throw new Error(`gRPC service "${name}" of plugin ${plugin} has no methods`)
    this.#services.set(name, { plugin, service })
    for (const method of methods) this.#paths.add(`/${name}/${method}`)
  }

  all(): GrpcService[] {
    return [...this.#services.values()].map(({ service }) => service)
  }

  names(): string[] {
    return [...this.#services.keys()]
  }

  /** Whether a service has the method with this path. */
  isMethod(path: string): boolean {
    return this.#paths.has(path)
  }

  /** Whether the service with this path asks which messages are compressed. */
  readsCompression(path: string): boolean {
    return this.#services.get(path.split('/', 2)[1] ?? '')?.service.readsCompression === true
  }

  /** Whether a path is below a service, also if the service has no such method. */
  isBelowService(path: string): boolean {
    return this.#services.has(path.split('/', 2)[1] ?? '')
  }

  /** Response metadata of all services that browsers may read. */
  exposed(): string[] {
    return this.all().flatMap(({ exposes = [] }) => exposes)
  }
}
