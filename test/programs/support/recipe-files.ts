/** Files of the pages in `docs/gateways`, changed to addresses of this machine. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { blocksOf, root } from '../../support/examples.ts'

/** Where svc is. */
export interface Addresses {
  http: number
  grpc: number
  syslog?: number
  /** Of services, in place of a second. */
  timeout?: string
}

/** Files of the page of Envoy that are put into `envoy.yaml`. */
export interface EnvoyFiles {
  /** Names of lists of filters, in their order. */
  filters?: readonly string[]
  /** Members of the connection manager. */
  members?: string
  /** Limits of the virtual host. */
  limits?: string
}

/** The block of a page that begins with `# <name>`, or with `-- <name>` for Lua. */
export function fileOf(page: string, name: string, { http, grpc, syslog = 5514, timeout = '60s' }: Addresses): string {
  const content = readFileSync(join(root, 'docs', 'gateways', page), 'utf8')
  return blocksOf(content)
    .find(({ text }) => text.startsWith(`# ${name}\n`) || text.startsWith(`-- ${name}\n`))!
    .text.replaceAll('svc:8080', `127.0.0.1:${http}`)
    .replaceAll('svc:5514', `127.0.0.1:${syslog}`)
    .replaceAll('address: svc, port_value: 8080', `address: 127.0.0.1, port_value: ${http}`)
    .replaceAll('address: svc, port_value: 50051', `address: 127.0.0.1, port_value: ${grpc}`)
    .replaceAll(/(?<=timeout:? )1s/g, timeout)
}

/** Envoy on a port, with files of its page, and further members of the connection manager and of the bootstrap. */
export function envoyOf(
  port: number,
  addresses: Addresses,
  { filters = [], members, limits }: EnvoyFiles,
  more: { manager?: object; bootstrap?: object } = {},
): object {
  const read = (name: string) => parse(fileOf('envoy.md', name, addresses))
  const config = read('envoy.yaml')
  const [listener] = config.static_resources.listeners
  listener.address.socket_address = { address: '127.0.0.1', port_value: port }
  const manager = listener.filter_chains[0].filters[0].typed_config
  manager.http_filters.unshift(...filters.flatMap(read))
  if (members !== undefined) Object.assign(manager, read(members))
  if (limits !== undefined) manager.route_config.virtual_hosts[0].rate_limits = read(limits)
  Object.assign(manager, more.manager)
  return Object.assign(config, more.bootstrap)
}

/** nginx on a port, with a file of its page. It writes to the folder. */
export function nginxOf(port: number, addresses: Addresses, name: string, folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(kind => `  ${kind}_temp_path ${folder}/${kind};\n`)
    .join('')
  return fileOf('nginx.md', name, addresses)
    .replace('listen 8000', `listen 127.0.0.1:${port}`)
    .replace('http {', `pid ${folder}/pid; error_log ${folder}/log;\nhttp {\n${temporary}`)
}

/** Caddy on a port, with a file of its page. */
export function caddyOf(port: number, addresses: Addresses, name: string): string {
  return fileOf('caddy.md', name, addresses).replace(':8000 {', `http://127.0.0.1:${port} {`)
}

/** HAProxy on a port, with files of its page. The script is put into the folder. */
export function haproxyOf(port: number, addresses: Addresses, name: string, folder: string): string {
  writeFileSync(
    join(folder, 'authz.lua'),
    fileOf('haproxy.md', 'authz.lua', addresses).replace('timeout = 1000', `timeout = ${millisecondsOf(addresses)}`),
  )
  return fileOf('haproxy.md', name, addresses)
    .replace('bind :8000', `bind 127.0.0.1:${port}`)
    .replace('/etc/haproxy', folder)
}

function millisecondsOf({ timeout = '60s' }: Addresses): number {
  return Number.parseInt(timeout, 10) * 1000
}
