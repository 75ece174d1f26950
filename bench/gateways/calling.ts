/** Gateways that call svc as a service, or report to it, with the files of their pages in `docs/gateways`. */
import { stringify } from 'yaml'
import {
  caddyOf,
  envoyOf,
  haproxyOf,
  nginxOf,
  type Addresses,
  type EnvoyFiles,
} from '../../test/programs/support/recipe-files.ts'
import type { GatewayConfiguration, GatewayFacts } from './configuration.ts'

/** Services that never answer are given up after a second, as on the pages. Messages of syslog have the number of the port for gRPC. */
const addressesOf = ({ up, upGrpc }: GatewayFacts): Addresses => ({
  http: up,
  grpc: upGrpc,
  syslog: upGrpc,
  timeout: '1s',
})

const groups = (names: string, ...more: string[]) => ({
  part: 'services' as const,
  probe: () => ['--groups', names, '--timeout', '20', ...more],
})

/** The pages let requests pass only with this key. */
const KEY = ['--header', 'apikey: my-key']

const envoy = (kind: string, names: string, files: EnvoyFiles, ...more: string[]): GatewayConfiguration => ({
  ...groups(names, ...more),
  product: 'Envoy',
  kind,
  program: 'envoy',
  version: ['--version'],
  file: 'envoy.yaml',
  // The limit of the page would end the run.
  text: facts => stringify(envoyOf(facts.port, addressesOf(facts), files)).replace('2/60s', '100000/60s'),
  arguments: file => ['-c', file, '--log-level', 'error', '--disable-hot-restart', '--concurrency', '1'],
})

export const CALLING: readonly GatewayConfiguration[] = [
  envoy('services', 'authz,ratelimit,report', {
    filters: ['services.yaml'],
    limits: 'rate-limits.yaml',
    members: 'reports.yaml',
  }),
  envoy('authz-http', 'authz', { filters: ['authz-http.yaml'] }, ...KEY),
  envoy('processor', 'proc', { filters: ['processor.yaml'] }),
  {
    ...groups('authz,report', ...KEY),
    product: 'nginx',
    kind: 'services',
    program: 'nginx',
    version: ['-v'],
    file: 'nginx.conf',
    text: facts => nginxOf(facts.port, addressesOf(facts), 'authz.conf', facts.folder),
    arguments: (file, { folder }) => ['-c', file, '-e', `${folder}/log`, '-g', 'daemon off;'],
  },
  {
    ...groups('authz', ...KEY),
    product: 'Caddy',
    kind: 'services',
    program: 'caddy',
    version: ['version'],
    file: 'Caddyfile',
    text: facts => caddyOf(facts.port, addressesOf(facts), 'authz.caddyfile'),
    arguments: file => ['run', '--adapter', 'caddyfile', '--config', file],
  },
  {
    ...groups('authz,report', ...KEY),
    product: 'HAProxy',
    kind: 'services',
    program: 'haproxy',
    version: ['-v'],
    file: 'haproxy.cfg',
    text: facts => haproxyOf(facts.port, addressesOf(facts), 'services.cfg', facts.folder),
    arguments: file => ['-f', file],
  },
]
