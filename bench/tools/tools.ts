/** The tools that are compared with svc, how each is installed, how it is started, and what it can do as svc does. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHAT, ECHO_GET, ECHO_POST, MOCKED, RULE, STATUS, STREAM } from '../cases.ts'
import { goBinary, installPackage, jarsOfFolder, mavenJar } from './install.ts'
import { AIMOCK, MOCKOON, MOCKSERVER_STUB, PETS, putStub, WIREMOCK_CHAT, WIREMOCK_STUB } from './stubs.ts'
import type { Tool } from './tool.ts'

/** `tarball` is that of svc; versions are those of `docs/comparison.md`. */
export function tools(tarball: string, versions: ReadonlyMap<string, string>): Tool[] {
  const version = (name: string): string => {
    const found = versions.get(name)
    if (found === undefined) throw new Error(`docs/comparison.md has no version of ${name}`)
    return found
  }
  return [
    svc(tarball),
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
      works: { [CHAT]: { path: '/v1/chat/completions' }, [STREAM]: { path: '/v1/chat/completions' } },
    },
    {
      name: 'Mockoon',
      path: '/stub',
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
      works: { [RULE]: { path: '/stub' }, [MOCKED]: { path: '/pets/7' } },
    },
    {
      name: 'Prism',
      path: '/pets/7',
      install(folder) {
        const installed = installPackage(folder, `@stoplight/prism-cli@${version('Prism')}`, 'prism')
        writeFileSync(join(folder, 'pets.json'), JSON.stringify(PETS))
        return installed
      },
      args: (port, folder) => ['mock', '--port', String(port), '--host', '127.0.0.1', join(folder, 'pets.json')],
      works: { [MOCKED]: { path: '/pets/7' } },
    },
    {
      name: 'WireMock',
      path: '/__admin/health',
      install: () => mavenJar('org.wiremock', 'wiremock-standalone', version('WireMock')),
      args: port => ['--port', String(port), '--bind-address', '127.0.0.1', '--disable-banner'],
      async prepare(origin) {
        for (const stub of [WIREMOCK_STUB, WIREMOCK_CHAT]) await putStub(`${origin}/__admin/mappings`, 'POST', stub)
      },
      works: { [RULE]: { path: '/stub' }, [CHAT]: { path: '/v1/chat/completions' } },
    },
    {
      name: 'MockServer',
      path: '/',
      install: () => jarsOfFolder('SVC_TEST_MOCKSERVER_9', 'org.mockserver.cli.Main'),
      args: port => ['-serverPort', String(port)],
      prepare: origin => putStub(`${origin}/mockserver/expectation`, 'PUT', MOCKSERVER_STUB),
      works: { [RULE]: { path: '/stub' } },
    },
    {
      name: 'go-httpbin',
      path: '/status/200',
      install: folder =>
        goBinary(folder, `github.com/mccutchen/go-httpbin/v2/cmd/go-httpbin@v${version('go-httpbin')}`),
      args: port => ['-host', '127.0.0.1', '-port', String(port)],
      works: {
        [ECHO_GET]: { path: '/get?x=1' },
        [ECHO_POST]: { path: '/post?x=1' },
        [STATUS]: { path: '/status/200' },
      },
    },
  ]
}

/** svc, which does the work of all cases; `env` changes its defaults. */
export function svc(tarball: string, name = 'svc', env: Record<string, string> = {}): Tool {
  return {
    name,
    path: '/_svc/ready',
    env,
    install: folder => installPackage(folder, tarball, 'svc'),
    args: port => ['--host', '127.0.0.1', '--port', String(port), '--https-port', '0', '--grpc-port', '0'],
  }
}
