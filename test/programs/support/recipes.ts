/** Gateways with the files of their pages in `docs/gateways`, changed to addresses of this machine. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { blocksOf, root } from '../../support/examples.ts'
import { gatewayFolder, startGateway } from '../../support/real-gateways.ts'
import type { TestServer } from '../../support/server.ts'
import { freePort } from '../../support/free-ports.ts'

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

/** The block of a page that begins with `# <name>`. */
function fileOf(
  page: string,
  name: string,
  { ports }: TestServer,
  { timeout = '60s', syslogPort = 5514 }: Options,
): string {
  const text = readFileSync(join(root, 'docs', 'gateways', page), 'utf8')
  return blocksOf(text)
    .find(block => block.text.startsWith(`# ${name}\n`))!
    .text.replaceAll('svc:8080', `127.0.0.1:${ports.http}`)
    .replaceAll('svc:5514', `127.0.0.1:${syslogPort}`)
    .replaceAll('address: svc, port_value: 8080', `address: 127.0.0.1, port_value: ${ports.http}`)
    .replaceAll('address: svc, port_value: 50051', `address: 127.0.0.1, port_value: ${ports.grpc}`)
    .replaceAll(/(?<=timeout:? )1s/g, timeout)
}

/** Envoy with filters, and with members of the connection manager and limits of the virtual host, of its page. */
export async function startEnvoyOf(
  t: Test,
  server: TestServer,
  files: { filters?: string; members?: string; limits?: string },
  options: Options = {},
): Promise<Through> {
  const folder = gatewayFolder()
  const web = await freePort()
  const read = (name: string) => parse(fileOf('envoy.md', name, server, options))
  const config = read('envoy.yaml')
  const [listener] = config.static_resources.listeners
  listener.address.socket_address = { address: '127.0.0.1', port_value: web }
  const manager = listener.filter_chains[0].filters[0].typed_config
  if (files.filters !== undefined) manager.http_filters.unshift(...read(files.filters))
  if (files.members !== undefined) Object.assign(manager, read(files.members))
  if (files.limits !== undefined) manager.route_config.virtual_hosts[0].rate_limits = read(files.limits)
  Object.assign(manager, options.manager)
  Object.assign(config, options.bootstrap)
  writeFileSync(join(folder, 'envoy.json'), JSON.stringify(config))
  const args = ['-c', join(folder, 'envoy.json'), '--log-level', 'off', '--base-id', String(web), '--concurrency', '1']
  return startGateway(t, 'envoy', args, { port: web, folder, ready: READY, headers: options.headers ?? {} })
}

/** nginx with a file of its page. */
export async function startNginxOf(t: Test, server: TestServer, name: string, options: Options = {}): Promise<Through> {
  const folder = gatewayFolder()
  const web = await freePort()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(kind => `  ${kind}_temp_path ${folder}/${kind};\n`)
    .join('')
  writeFileSync(
    join(folder, 'nginx.conf'),
    fileOf('nginx.md', name, server, options)
      .replace('listen 8000', `listen 127.0.0.1:${web}`)
      .replace('http {', `pid ${folder}/pid; error_log ${folder}/log;\nhttp {\n${temporary}`),
  )
  const args = ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'log'), '-g', 'daemon off;']
  return startGateway(t, 'nginx', args, { port: web, folder, ready: READY, headers: options.headers ?? {} })
}

/** Caddy with a file of its page. */
export async function startCaddyOf(t: Test, server: TestServer, name: string, options: Options = {}): Promise<Through> {
  const folder = gatewayFolder()
  const web = await freePort()
  const text = fileOf('caddy.md', name, server, options).replace(':8000 {', `http://127.0.0.1:${web} {`)
  writeFileSync(join(folder, 'Caddyfile'), text)
  const args = ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile']
  const { headers = {} } = options
  return startGateway(t, 'caddy', args, { port: web, folder, ready: READY, headers, env: { HOME: folder } })
}
