/** What a gateway needs to be probed. */

export interface GatewayFacts {
  /** Port of the upstream, and its port for gRPC. */
  up: number
  upGrpc: number
  /** The port of the gateway, and a second one for gateways that need a separate port for HTTP/2 without TLS. */
  port: number
  grpc: number
  /** A folder that the gateway may write to. */
  folder: string
}

export interface GatewayConfiguration {
  /** Name in the table. */
  product: string
  kind: string
  program: string
  /** Prints the version. */
  version: readonly string[]
  /** Of `version`; default: the program itself. */
  versionProgram?: string
  file: string
  text(facts: GatewayFacts): string
  arguments(file: string, facts: GatewayFacts): string[]
  environment?: Record<string, string>
  /** More arguments of the probe. */
  probe?(facts: GatewayFacts): readonly string[]
  /** The file of `--routes`. */
  routes?(facts: GatewayFacts): string
  /** Its part of the page, if it does not forward as a proxy does. It reads from svc when it starts, so svc has to run before. */
  part?: 'models' | 'graphs' | 'services'
}
