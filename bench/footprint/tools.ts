/** The tools that are compared with svc, how each is installed, and how it is started. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

export interface Installed {
  /** Packages, jars or binaries. */
  parts: string
  bytes: number
  command: string[]
}

export interface Tool {
  name: string
  /** A path that responds when the tool is ready. */
  path: string
  /** Installs it in an empty folder. Throws if it can't be installed here. */
  install(folder: string): Installed
  /** Arguments that start it on a port of the loopback interface, in the folder. */
  args(port: number, folder: string): string[]
}

const MAVEN = join(homedir(), '.m2', 'repository')
/** A file of aimock with one reply; it has no server without a file. */
const AIMOCK = { fixtures: [{ match: { userMessage: 'hello' }, response: { content: 'hello' } }] }
/** An environment of Mockoon with one route; it has no server without a file. */
const MOCKOON = {
  uuid: '00000000-0000-4000-8000-000000000000',
  lastMigration: 33,
  name: 'footprint',
  endpointPrefix: '',
  latency: 0,
  port: 0,
  hostname: '127.0.0.1',
  folders: [],
  routes: [
    {
      uuid: '00000000-0000-4000-8000-000000000001',
      type: 'http',
      documentation: '',
      method: 'get',
      endpoint: 'ready',
      responses: [
        {
          uuid: '00000000-0000-4000-8000-000000000002',
          body: 'ok',
          latency: 0,
          statusCode: 200,
          label: '',
          headers: [],
          bodyType: 'INLINE',
          filePath: '',
          databucketID: '',
          sendFileAsBody: false,
          rules: [],
          rulesOperator: 'OR',
          disableTemplating: false,
          fallbackTo404: false,
          default: true,
          crudKey: 'id',
          callbacks: [],
        },
      ],
      responseMode: null,
      streamingMode: null,
      streamingInterval: 0,
    },
  ],
  rootChildren: [{ type: 'route', uuid: '00000000-0000-4000-8000-000000000001' }],
  proxyMode: false,
  proxyHost: '',
  proxyRemovePrefix: false,
  tlsOptions: { enabled: false, type: 'CERT', pfxPath: '', certPath: '', keyPath: '', caPath: '', passphrase: '' },
  cors: true,
  headers: [],
  proxyReqHeaders: [],
  proxyResHeaders: [],
  data: [],
  callbacks: [],
}

/** `tarball` is that of svc; versions are those of `docs/comparison.md`. */
export function tools(tarball: string, versions: ReadonlyMap<string, string>): Tool[] {
  const version = (name: string): string => {
    const found = versions.get(name)
    if (found === undefined) throw new Error(`docs/comparison.md has no version of ${name}`)
    return found
  }
  return [
    {
      name: 'svc',
      path: '/_svc/ready',
      install: folder => installPackage(folder, tarball, 'svc'),
      args: port => ['--host', '127.0.0.1', '--port', String(port), '--https-port', '0', '--grpc-port', '0'],
    },
    {
      name: 'aimock',
      path: '/health',
      install(folder) {
        const installed = installPackage(folder, `@copilotkit/aimock@${version('aimock')}`, 'llmock')
        writeFileSync(join(folder, 'fixtures.json'), JSON.stringify(AIMOCK))
        return installed
      },
      args: (port, folder) => [
        '--host',
        '127.0.0.1',
        '--port',
        String(port),
        '--fixtures',
        join(folder, 'fixtures.json'),
      ],
    },
    {
      name: 'Mockoon',
      path: '/ready',
      install(folder) {
        const installed = installPackage(folder, `@mockoon/cli@${version('Mockoon')}`, 'mockoon-cli')
        writeFileSync(join(folder, 'data.json'), JSON.stringify(MOCKOON))
        return installed
      },
      args: (port, folder) => [
        'start',
        '--data',
        join(folder, 'data.json'),
        '--port',
        String(port),
        '--disable-log-to-file',
      ],
    },
    {
      name: 'WireMock',
      path: '/__admin/health',
      install() {
        const name = `wiremock-standalone-${version('WireMock')}.jar`
        const jar = join(MAVEN, 'org', 'wiremock', 'wiremock-standalone', version('WireMock'), name)
        if (!existsSync(jar))
          throw new Error(`org.wiremock:wiremock-standalone is not in the local repository of Maven`)
        return { parts: '1 jar', bytes: statSync(jar).size, command: ['java', '-jar', jar] }
      },
      args: port => ['--port', String(port), '--bind-address', '127.0.0.1', '--disable-banner'],
    },
    {
      name: 'go-httpbin',
      path: '/status/200',
      install(folder) {
        const module = `github.com/mccutchen/go-httpbin/v2/cmd/go-httpbin@v${version('go-httpbin')}`
        execFileSync('go', ['install', module], {
          env: { ...process.env, GOBIN: folder },
          stdio: 'ignore',
        })
        const binary = join(folder, 'go-httpbin')
        return { parts: '1 binary', bytes: statSync(binary).size, command: [binary] }
      },
      args: port => ['-host', '127.0.0.1', '-port', String(port)],
    },
  ]
}

/** Installs a package and what it depends on, alone. */
function installPackage(folder: string, wanted: string, command: string): Installed {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', wanted], {
    cwd: folder,
    stdio: 'ignore',
  })
  const modules = join(folder, 'node_modules')
  const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')) as { packages: object }
  const count = Object.keys(packages).length
  const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return {
    parts: `${count} package${count === 1 ? '' : 's'}`,
    bytes: files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0),
    command: [process.execPath, realpathSync(join(modules, '.bin', command))],
  }
}
