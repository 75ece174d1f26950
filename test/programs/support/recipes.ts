/** Gateways with the files of their pages in `docs/gateways`, changed to addresses of this machine. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../support/free-ports.ts'
import { gatewayFolder, startGateway } from '../../support/real-gateways.ts'
import type { TestServer } from '../../support/server.ts'
import { caddyOf, envoyOf, haproxyOf, nginxOf, type Addresses } from './recipe-files.ts'

export type Through = Awaited<ReturnType<typeof startGateway>>
type Test = Parameters<typeof startGateway>[0]

interface Options {
  /** Of the request that shows that the gateway is ready. */
  headers?: Record<string, string>
  /** In place of a second. */
  timeout?: string
  syslogPort?: number
  /** Members of the connection manager and of the bootstrap of Envoy that its page does not have. */
  manager?: object
  bootstrap?: object
}

const READY = '/echo'

function addressesOf({ ports }: TestServer, { timeout, syslogPort }: Options): Addresses {
  return {
    http: ports.http!,
    grpc: ports.grpc!,
    ...(timeout === undefined ? {} : { timeout }),
    ...(syslogPort === undefined ? {} : { syslog: syslogPort }),
  }
}

/** Envoy with filters, and with members of the connection manager and limits of the virtual host, of its page. */
export async function startEnvoyOf(
  t: Test,
  server: TestServer,
  { filters, ...files }: { filters?: string | string[]; members?: string; limits?: string },
  options: Options = {},
): Promise<Through> {
  const folder = gatewayFolder()
  const web = await freePort()
  const config = envoyOf(
    web,
    addressesOf(server, options),
    { ...files, filters: filters === undefined ? [] : [filters].flat() },
    options,
  )
  writeFileSync(join(folder, 'envoy.json'), JSON.stringify(config))
  const args = ['-c', join(folder, 'envoy.json'), '--log-level', 'off', '--base-id', String(web), '--concurrency', '1']
  return startGateway(t, 'envoy', args, { port: web, folder, ready: READY, headers: options.headers ?? {} })
}

/** nginx with a file of its page. */
export async function startNginxOf(t: Test, server: TestServer, name: string, options: Options = {}): Promise<Through> {
  const folder = gatewayFolder()
  const web = await freePort()
  writeFileSync(join(folder, 'nginx.conf'), nginxOf(web, addressesOf(server, options), name, folder))
  const args = ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'log'), '-g', 'daemon off;']
  return startGateway(t, 'nginx', args, { port: web, folder, ready: READY, headers: options.headers ?? {} })
}

/** Caddy with a file of its page. */
export async function startCaddyOf(t: Test, server: TestServer, name: string, options: Options = {}): Promise<Through> {
  const folder = gatewayFolder()
  const web = await freePort()
  writeFileSync(join(folder, 'Caddyfile'), caddyOf(web, addressesOf(server, options), name))
  const args = ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile']
  const { headers = {} } = options
  return startGateway(t, 'caddy', args, { port: web, folder, ready: READY, headers, env: { HOME: folder } })
}

/** HAProxy with a file of its page. */
export async function startHaproxyOf(
  t: Test,
  server: TestServer,
  name: string,
  options: Options = {},
): Promise<Through> {
  const folder = gatewayFolder()
  const web = await freePort()
  writeFileSync(join(folder, 'haproxy.cfg'), haproxyOf(web, addressesOf(server, options), name, folder))
  const args = ['-f', join(folder, 'haproxy.cfg')]
  return startGateway(t, 'haproxy', args, { port: web, folder, ready: READY, headers: options.headers ?? {} })
}
