/** Runs the recipes with a path prefix, if their gateways are installed. */
import t from 'tap'
import { readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { blocksOf, root } from '../support/examples.ts'
import { absence, gatewayFolder, startGateway } from '../support/real-gateways.ts'
import { serve } from '../support/server.ts'
import { until } from '../support/until.ts'
import { freePort } from '../support/free-ports.ts'

/** A recipe: how to write its file with test addresses, and how to start its gateway. */
interface Recipe {
  program: string
  page: string
  file: string
  /** Writes the file for the port; `fileOf` returns another file of the page. */
  adapt(text: string, port: number, folder: string, fileOf: (name: string) => string): string
  args(file: string, folder: string, port: number): string[]
  /** The path that arrives for `/a%2Fb//c`. */
  path: string
  passesUnderscores: boolean
  passesTe: boolean
  /** How it treats a 103; omitted if a 103 breaks the response. */
  passesHints?: boolean
  /** It retries a POST on a new connection when a kept-alive one closes without a response. */
  repeatsPost?: true
}

const RECIPES: Recipe[] = [
  {
    program: 'nginx',
    page: 'nginx.md',
    file: 'prefix.conf',
    adapt: (text, port, folder) =>
      text
        .replace('listen 8000', `listen 127.0.0.1:${port}`)
        .replace(
          'http {',
          `pid ${folder}/pid; error_log ${folder}/log;\nhttp {\n  access_log off;\n` +
            ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
              .map(kind => `  ${kind}_temp_path ${folder}/${kind};\n`)
              .join(''),
        ),
    args: (file, folder) => ['-c', file, '-e', join(folder, 'log'), '-g', 'daemon off;'],
    path: '/echo/a%2Fb//c',
    passesUnderscores: true,
    passesTe: false,
  },
  {
    program: 'haproxy',
    page: 'haproxy.md',
    file: 'haproxy.cfg',
    adapt: (text, port) => text.replace('bind :8000', `bind 127.0.0.1:${port}`),
    args: file => ['-f', file],
    path: '/echo/a%2Fb//c',
    passesUnderscores: true,
    passesTe: true,
    passesHints: true,
  },
  {
    program: 'caddy',
    page: 'caddy.md',
    file: 'Caddyfile',
    adapt: (text, port) => text.replace(':8000 {', `http://127.0.0.1:${port} {`),
    args: file => ['run', '--config', file, '--adapter', 'caddyfile'],
    path: '/echo/a%2Fb/c',
    passesUnderscores: true,
    passesTe: false,
    passesHints: true,
  },
  {
    program: 'apache2',
    page: 'apache.md',
    file: 'httpd.conf',
    adapt: (text, port, folder) =>
      `ServerRoot /usr/lib/apache2\nPidFile ${folder}/pid\nDefaultRuntimeDir ${folder}\nErrorLog ${folder}/log\nUser www-data\nGroup www-data\n${text.replace('Listen 8000', `Listen 127.0.0.1:${port}`)}`,
    args: file => ['-f', file, '-D', 'FOREGROUND'],
    path: '/echo/a%2Fb//c',
    passesUnderscores: true,
    passesTe: false,
    passesHints: true,
  },
  {
    program: 'varnishd',
    page: 'varnish.md',
    file: 'default.vcl',
    adapt: text => text,
    args: (file, folder, port) => ['-F', '-a', `127.0.0.1:${port}`, '-f', file, '-n', join(folder, 'work')],
    path: '/echo/a%2Fb//c',
    passesUnderscores: true,
    passesTe: false,
    repeatsPost: true,
  },
  {
    program: 'envoy',
    page: 'envoy.md',
    file: 'prefix.yaml',
    // Only these routes: the page's complete file also routes all other paths.
    adapt: (text, port, _folder, fileOf) => {
      const configuration = parse(fileOf('envoy.yaml').replace('port_value: 8000', `port_value: ${port}`)) as EnvoyFile
      configuration.static_resources.listeners[0]!.filter_chains[0]!.filters[0]!.typed_config.route_config
        .virtual_hosts[0]!.routes = parse(text)
      return stringify(configuration)
    },
    args: (file, _folder, port) => ['-c', file, '--log-level', 'off', '--base-id', String(port)],
    path: '/echo/a%2Fb//c',
    passesUnderscores: true,
    passesTe: true,
    passesHints: false,
  },
  {
    program: 'traefik',
    page: 'traefik.md',
    file: 'prefix.yaml',
    adapt: (text, port, folder, fileOf) => {
      writeFileSync(
        join(folder, 'traefik.yaml'),
        fileOf('traefik.yaml')
          .replace(':8000', `127.0.0.1:${port}`)
          .replace('/etc/traefik/routes.yaml', join(folder, 'prefix.yaml')),
      )
      return text
    },
    args: (_file, folder) => [`--configFile=${join(folder, 'traefik.yaml')}`],
    path: '/echo/a%2Fb/c',
    passesUnderscores: true,
    passesTe: false,
    passesHints: true,
  },
]

/** The path to the routes in an Envoy configuration. */
interface EnvoyFile {
  static_resources: {
    listeners: {
      filter_chains: { filters: { typed_config: { route_config: { virtual_hosts: { routes: unknown }[] } } }[] }[]
    }[]
  }
}

for (const { program, page, file, adapt, args, ...expected } of RECIPES) {
  t.test(
    `${program} takes the file, and every URL has the prefix [DOC-3] [PREFIX-6]`,
    { skip: absence(program) },
    async t => {
      const server = await serve(t, { yaml: '', env: { SVC_TRUST_FORWARD: 'true' } })
      const folder = gatewayFolder()
      const port = await freePort()
      const blocks = blocksOf(readFileSync(join(root, 'docs', 'gateways', page), 'utf8'))
      const fileOf = (name: string): string =>
        blocks
          .find(({ text }) => text.startsWith(`# ${name}\n`))!
          .text.replaceAll('svc:8080', `127.0.0.1:${server.ports.http}`)
          .replaceAll('address: svc, port_value: 8080', `address: 127.0.0.1, port_value: ${server.ports.http}`)
          .replaceAll('address: svc, port_value: 50051', `address: 127.0.0.1, port_value: ${server.ports.grpc}`)
      const path = join(folder, file)
      writeFileSync(path, adapt(fileOf(file), port, folder, fileOf))
      const through = await startGateway(t, program, args(path, folder, port), { port, folder, ready: '/demo/uuid' })
      const base = `http://127.0.0.1:${port}/demo`

      t.match(await (await through('/demo/.well-known/openid-configuration')).json(), {
        issuer: base,
        token_endpoint: `${base}/oauth/token`,
      })
      t.match(await (await through('/demo/.well-known/oauth-protected-resource/mcp/protected')).json(), {
        resource: `${base}/mcp/protected`,
      })
      t.equal((await through('/demo/redirect/2')).url, `${base}/echo`, 'redirects stay below it')
      t.strictSame(
        await Promise.all(
          ['/demo', '/demo/', '/demo?x=1', '/demox', '/demoecho', '/echo'].map(
            async one => (await through(one)).status,
          ),
        ),
        [200, 200, 200, 404, 404, 404],
      )

      const { path: seen, headers } = await echoOf(port)
      t.equal(seen, expected.path)
      t.equal('x_under' in headers, expected.passesUnderscores, 'underscores in header names')
      t.equal('te' in headers, expected.passesTe, 'TE')

      t.match(await firstEvent(through), /^id: 1\n(?![^]*^id: 2)/m, 'an event arrives before the next one is sent')
      if (expected.passesHints !== undefined)
        t.strictSame(await hintsOf(port), expected.passesHints ? [103, 200] : [200], '103')

      // A gateway whose kept-alive connection was closed may retry a GET, but not a POST.
      const session = `${program}-post`
      await through('/demo/echo', {
        method: 'POST',
        headers: { 'X-Svc-Abort': 'close', 'X-Svc-Session': session },
      }).catch(() => undefined)
      const arrived = async (): Promise<number> =>
        ((await (await fetch(`${server.url}/_svc/requests?session=${session}`)).json()) as { requests: object[] })
          .requests.length
      await until(async () => (await arrived()) > 0, 'the POST is recorded')
      t.ok((await arrived()) <= (expected.repeatsPost ? 2 : 1), 'a POST without an answer')
    },
  )
}

/** The echo record for a request target that no client library normalizes. */
function echoOf(port: number): Promise<{ path: string; headers: Record<string, string[]> }> {
  return new Promise((resolve, reject) => {
    get(
      {
        host: '127.0.0.1',
        port,
        path: '/demo/echo/a%2Fb//c',
        headers: { X_Under: '1', TE: 'trailers', Connection: 'TE, close' },
      },
      async response => {
        let text = ''
        for await (const part of response) text += String(part)
        resolve(JSON.parse(text) as { path: string; headers: Record<string, string[]> })
      },
    ).on('error', reject)
  })
}

/** The first event of a stream with a later second one. The stream is read to its end, as a gateway may wait for it at shutdown. */
async function firstEvent(through: (path: string) => Promise<Response>): Promise<string> {
  const decoder = new TextDecoder()
  const pieces: string[] = []
  for await (const piece of (await through('/demo/sse?count=2&interval_ms=1500')).body!)
    pieces.push(decoder.decode(piece as Uint8Array))
  return pieces[0]!
}

/** The status codes of a response with early hints, in order. */
function hintsOf(port: number): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const statuses: number[] = []
    get({ host: '127.0.0.1', port, path: '/demo/early-hints', agent: false }, response => {
      response.resume()
      resolve([...statuses, response.statusCode!])
    })
      .on('information', ({ statusCode }) => statuses.push(statusCode))
      .on('error', reject)
  })
}
