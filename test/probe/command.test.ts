/** The command `svc probe`: arguments, exit codes, formats, baseline. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t, { type Test } from 'tap'
import type { CommandContext } from '../../core/contract/command.ts'
import { startServer } from '../../core/server/server.ts'
import { launch } from '../../core/testing/launch.ts'
import { probeCommand } from '../../plugins/probe/command/command.ts'
import { isRecord } from '../../core/contract/record.ts'
import { startProxy } from './proxies/reference-proxy.ts'

interface Ran {
  exitCode: number
  out: string
  err: string
}

function workingFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-probe-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function run(args: readonly string[], context: Partial<CommandContext> = {}): Promise<Ran> {
  let out = ''
  let err = ''
  const result = await probeCommand.run([...args], {
    out: { write: text => void (out += text) },
    err: { write: text => void (err += text) },
    environment: {},
    workingDirectory: tmpdir(),
    version: '1.0.0',
    gitSha: null,
    section: undefined,
    use: () => Promise.resolve(undefined),
    startServer: () => Promise.reject(new Error('not here')),
    ...context,
  })
  return { exitCode: 'exitCode' in result ? result.exitCode : -1, out, err }
}

t.test('an invalid command line is exit code 2 and says what is expected [PRB-4]', async t => {
  const folder = workingFolder(t)
  writeFileSync(join(folder, 'large.conf'), 'x'.repeat(300 * 1024))
  writeFileSync(join(folder, 'other.json'), '{"svc_probe": 2}')
  writeFileSync(
    join(folder, 'unknown.json'),
    '{"svc_probe_baseline": 1, "accepted": [{"id": "HDR-NONE", "verdict": "fail"}]}',
  )
  writeFileSync(join(folder, 'routes-key.yaml'), 'llmm: {openai: /v1}\n')
  writeFileSync(join(folder, 'routes-llm.yaml'), 'llm: {opnai: /v1}\n')
  writeFileSync(join(folder, 'routes-url.yaml'), 'websocket: ftp://gateway\n')
  writeFileSync(join(folder, 'routes-path.yaml'), 'llm: {openai: "/v1?x"}\n')
  writeFileSync(join(folder, 'routes-not.yaml'), '{\n')
  writeFileSync(join(folder, 'routes-credential.yaml'), 'llm: {credential: mine}\n')
  const gateway = 'http://127.0.0.1:1'
  const cases: [string[], RegExp][] = [
    [[], /expected the URL of the gateway/],
    [[gateway, 'http://b'], /expected one gateway URL/],
    [['ftp://gateway'], /http: or https: URL/],
    [['gateway:8000'], /http: or https: URL/],
    [['http://user:pass@gateway'], /user information/],
    [['http://gateway/?a=1'], /query/],
    [['http://gateway/#a'], /fragment/],
    [['http://gateway:0'], /port/],
    [['http://gateway:70000'], /not a URL/],
    [[gateway, '--checks', 'HDR-CON'], /unknown check: HDR-CON \(did you mean HDR-CONN\?\)/],
    [[gateway, '--groups', 'header'], /did you mean headers\?/],
    [[gateway, '--format', 'htm'], /did you mean html\?/],
    [[gateway, '--fail-on', 'fails'], /did you mean fail\?.* error, none/],
    [[gateway, '--fail-on', 'none,fail'], /none cannot be combined/],
    [[gateway, '--repeat', '0'], /from 1 to 10/],
    [[gateway, '--repeat', 'x'], /from 1 to 10/],
    [[gateway, '--timeout', '0'], /from 1 to 120/],
    [[gateway, '--concurrency', '33'], /from 1 to 32/],
    [[gateway, '--header', 'a b: c'], /'Name: value'/],
    [[gateway, '--header', 'a: b\r\nc: d'], /control characters/],
    [[gateway, '--header', 'Host: x'], /--host/],
    [[gateway, '--upstream', 'http://a', '--listen', '8080'], /cannot be combined/],
    [[gateway, '--format', 'json,html'], /--out/],
    [[gateway, '--config-file', 'missing.conf'], /cannot read/],
    [[gateway, '--config-file', 'large.conf'], /larger than 262144/],
    [[gateway, '--out', 'large.conf'], /--out cannot be written/],
    [[gateway, '--baseline', 'other.json'], /neither a baseline/],
    [[gateway, '--baseline', 'large.conf'], /not JSON/],
    [[gateway, '--baseline', 'unknown.json'], /HDR-NONE/],
    [[gateway, '--note', 'HDR-CONN'], /ID=text/],
    [[gateway, '--routes', 'missing.yaml'], /cannot read/],
    [[gateway, '--routes', 'routes-not.yaml'], /--routes: not YAML/],
    [[gateway, '--routes', 'routes-key.yaml'], /--routes: unknown key "llmm" \(did you mean llm\?\)/],
    [[gateway, '--routes', 'routes-llm.yaml'], /unknown key "llm\.opnai" \(did you mean openai\?\)/],
    [[gateway, '--routes', 'routes-url.yaml'], /websocket must be a path or a URL|http: or https: URL/],
    [[gateway, '--routes', 'routes-path.yaml'], /llm\.openai must be a path such as \/v1/],
    [[gateway, '--routes', 'routes-credential.yaml'], /llm\.credential must be "gateway" or "client"/],
    [[gateway, '--hostil'], /did you mean --hostile\?/],
    [[gateway, '--bearer', '${PROBE_TOKEN}'], /PROBE_TOKEN is not set/],
    [['show', 'HDR-VAI'], /did you mean HDR-VIA\?/],
    [['list', '--groups', 'nothing'], /--groups: unknown "nothing"; expected reach, /],
    [['list', '--groups', 'header'], /did you mean headers\?/],
  ]
  for (const [args, message] of cases) {
    const { exitCode, out, err } = await run(args, { workingDirectory: folder })
    t.strictSame([exitCode, out], [2, ''], args.join(' '))
    t.match(err, message, args.join(' '))
  }
})

t.test('a section of svc.yaml with a typo or a credential is exit code 2 [PRB-4]', async t => {
  const cases: [unknown, RegExp][] = [
    [{ repeet: 5 }, /svc\.yaml: probe: unknown key "repeet" \(did you mean repeat\?\)/],
    [{ bearer: 'x' }, /svc\.yaml: probe\.bearer is not read: give it as --bearer; \$\{NAME\} is read from/],
    [{ headers: { a: 'b' } }, /give it as --header;/],
    [{ skip: ['HDR-CON'] }, /svc\.yaml: probe\.skip: unknown check: HDR-CON \(did you mean HDR-CONN\?\)/],
    [{ repeat: 11 }, /--repeat must be a number from 1 to 10/],
  ]
  for (const [section, message] of cases) {
    const { exitCode, err } = await run(['http://127.0.0.1:1'], { section })
    t.equal(exitCode, 2)
    t.match(err, message)
  }
})

t.test('list and show print the catalog [PRB-5]', async t => {
  const { out, exitCode } = await run(['list', '--json'])
  t.equal(exitCode, 0)
  const { catalogue, checks } = JSON.parse(out) as { catalogue: string; checks: { id: string; hostile: boolean }[] }
  t.equal(catalogue, '2026.3')
  t.equal(new Set(checks.map(({ id }) => id)).size, checks.length, 'no id twice')
  t.ok(checks.some(({ id, hostile }) => id === 'FRM-CLTE' && hostile))
  t.match((await run(['list', '--groups', 'caching'])).out, /^CCH-STORE/)
  t.match((await run(['show', 'HDR-CONN'])).out, /RFC 9110 section 7\.6\.1[^]*Sent:[^]*Expected:[^]*Why it matters:/)
  t.match(
    (await run(['show', 'TRN-PAIRS'])).out,
    /What wires have no word for:\n {2}chat: not in requests: thinking, .*; not in replies: /,
  )
  t.doesNotThrow(() => new Ajv2020({ strict: false }).compile(schemaOf(out)))
  function schemaOf(_list: string): object {
    return JSON.parse(readFileSync('plugins/probe/report.schema.json', 'utf8')) as object
  }
})

t.test('what cannot be reached is exit code 3 with the reason [PRB-6]', async t => {
  const server = await launch({ plugins: ['probe', 'status'] })
  t.teardown(() => server.stop())
  const other = await launch({ plugins: ['probe'], env: { SVC_INSTANCE_ID: 'other-1' } })
  t.teardown(() => other.stop())
  const guarded = await launch({ plugins: ['probe'], env: { SVC_ADMIN_TOKEN: 'secret' } })
  t.teardown(() => guarded.stop())
  const cases: [string[], RegExp][] = [
    [['http://127.0.0.1:1', '--upstream', server.url], /cannot reach the gateway: ECONNREFUSED/],
    [['http://127.0.0.1:1', '--upstream', 'http://127.0.0.1:1'], /can't be reached: ECONNREFUSED/],
    [[other.url, '--upstream', server.url], /another svc \(other-1\) is behind the gateway/],
    [[server.url, '--upstream', guarded.url], /refused the back channel with 40[13]: give --upstream-token/],
    [[server.httpsUrl, '--upstream', server.url], /--ca with its certificate, or --insecure/],
  ]
  for (const [args, message] of cases) {
    const { exitCode, err } = await run([...args, '--checks', 'HDR-VIA'])
    t.equal(exitCode, 3, args.join(' '))
    t.match(err, message)
  }
  const hints: [number, RegExp][] = [
    [401, /give --bearer or --header/],
    [404, /is \/probe routed\?/],
    [302, /probe \/elsewhere itself/],
    [503, /the gateway cannot reach/],
    [200, /something else answers this path[^]*hello/],
  ]
  for (const [status, hint] of hints) {
    const plain = createServer(
      (_request, response) => void response.writeHead(status, { Location: '/elsewhere' }).end('hello\u001b[31m'),
    )
    await new Promise<void>(resolve => plain.listen(0, '127.0.0.1', resolve))
    const { err, exitCode } = await run([
      `http://127.0.0.1:${(plain.address() as AddressInfo).port}`,
      '--upstream',
      server.url,
    ])
    plain.closeAllConnections()
    plain.close()
    t.equal(exitCode, 3)
    t.match(err, hint)
    t.notOk(err.includes('\u001b'), 'no control character of a gateway')
  }
  const { exitCode } = await run([guarded.url, '--upstream', guarded.url, '--checks', 'RCH-*'], {
    environment: { SVC_ADMIN_TOKEN: 'secret' },
  })
  t.equal(exitCode, 0)
})

t.test('a gateway that takes the upstream for down at first is tried again [PRB-6]', async t => {
  const server = await launch({ plugins: ['probe'] })
  t.teardown(() => server.stop())
  let refused = 0
  const late = createServer((request, response) => {
    if (refused++ < 2) return void response.writeHead(503).end()
    const { method, headers, url } = request
    request.pipe(
      forward(`${server.url}${url}`, { method, headers }, answer => {
        response.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(response)
      }),
    )
  })
  await new Promise<void>(resolve => late.listen(0, '127.0.0.1', resolve))
  t.teardown(() => (late.closeAllConnections(), late.close()))
  const gateway = `http://127.0.0.1:${(late.address() as AddressInfo).port}`
  const { exitCode, err } = await run([gateway, '--upstream', server.url, '--checks', 'RCH-NONCE'])
  t.equal(exitCode, 0, err)
  t.ok(refused > 12, 'the requests were sent again')
})

t.test('reports, baseline and exit code of a gateway with findings [PRB-7]', async t => {
  const folder = workingFolder(t)
  const server = await launch({ plugins: ['probe'] })
  t.teardown(() => server.stop())
  const proxy = await startProxy(server.ports.http!, {
    request: head => void (head.fields = head.fields.filter(([name]) => !/^(?:via|x-probe-alpha)$/i.test(name))),
    response: head => void head.fields.push(['Server', 'wrong/1.0']),
  })
  t.teardown(() => proxy.close())
  const args = [
    proxy.url,
    '--upstream',
    server.url,
    '--groups',
    'headers',
    '--header',
    'X-Key: abcdef-secret',
    '--repeat',
    '2',
  ]
  writeFileSync(join(folder, 'gateway.conf'), 'listen 8000\npassword: 1234567890\n')
  const first = await run(
    [
      ...args,
      '--format',
      'terminal,junit,markdown,html',
      '--out',
      'reports',
      '--write-baseline',
      'baseline.json',
      '--config-file',
      'gateway.conf',
      '--note',
      'HDR-VIA=not wanted',
      '--name',
      '<b>wrong</b>',
    ],
    { workingDirectory: folder },
  )
  t.equal(first.exitCode, 1, first.err)
  t.match(first.out, /HDR-VIA/)
  t.match(first.err, /^headers: \d+ checks?, [1-9]\d* failed \(\d+ of \d+\)$/m, 'a line for each group')
  const read = (name: string): string => readFileSync(join(folder, 'reports', name), 'utf8')
  const report = JSON.parse(read('report.json')) as Record<string, unknown>
  const validate = new Ajv2020({ strict: false }).compile(
    JSON.parse(readFileSync('plugins/probe/report.schema.json', 'utf8')) as object,
  )
  t.ok(validate(report), JSON.stringify(validate.errors))
  const text = ['report.json', 'report.xml', 'report.md', 'report.html'].map(read).join('')
  t.notMatch(text, /abcdef-secret|1234567890/, 'no credentials in reports')
  t.match(read('report.xml'), /<testcase classname="probe\.headers" name="HDR-VIA Via"[^>]*><failure/)
  t.notMatch(read('report.html'), /<script|<b>wrong/)
  t.match(read('report.html'), /Content-Security-Policy[^]*Sent[^]*Arrived[^]*Answered[^]*Came back/)
  t.match(read('report.md'), /HDR-VIA/)
  t.ok(isRecord(report.summary) && report.summary.counted === 1)

  const second = await run([...args, '--baseline', 'baseline.json', '--fail-on', 'fail,warn'], {
    workingDirectory: folder,
  })
  t.equal(second.exitCode, 0, second.out)
  t.match(second.out, /no findings that count\n$/)
  t.equal((await run([...args, '--fail-on', 'fail:high'], { workingDirectory: folder })).exitCode, 0)
  t.equal(
    (await run([...args, '--fail-on', 'none', '--quiet'], { workingDirectory: folder })).out,
    'no findings that count\n',
  )
})

t.test('--listen starts an svc for the time of the run [PRB-8]', async t => {
  const folder = workingFolder(t)
  const proxyOf = await startProxy(0)
  t.teardown(() => proxyOf.close())
  let environment: Record<string, string> = {}
  const result = await run(['http://127.0.0.1:1', '--listen', '0', '--checks', 'RCH-PATH'], {
    workingDirectory: folder,
    startServer: async options => {
      environment = options?.environment ?? {}
      const server = await startServer({ environment, workingDirectory: folder, logStream: { write: () => {} } })
      return { ports: server.ports, stop: () => server.stop() }
    },
  })
  t.equal(result.exitCode, 3)
  t.match(result.err, /cannot reach the gateway/)
  t.equal(environment.SVC_HOST, '127.0.0.1')
  t.equal(environment.SVC_A2A_PUSH_ALLOWLIST, '127.0.0.1:1')
  t.ok((environment.SVC_ADMIN_TOKEN ?? '').length > 30, 'the back channel has a token of its own')
})

t.test('--routes names the address of a group, and --h2 is part of the report [PRB-16]', async t => {
  const folder = workingFolder(t)
  const server = await launch({ plugins: ['probe'] })
  t.teardown(() => server.stop())
  // It forwards other paths than the probe knows, and none of its fields.
  const proxy = await startProxy(server.ports.http!, {
    request(head) {
      head.fields = head.fields.filter(([name]) => name.toLowerCase() !== 'x-svc-probe')
      head.line = head.line.replace(' /v1/', ' /upstream/v1/')
    },
  })
  t.teardown(() => proxy.close())
  for (const openai of ['/v1', `${proxy.url}/v1`]) {
    writeFileSync(join(folder, 'routes.yaml'), `llm: {openai: "${openai}", model: small, credential: gateway}\n`)
    const { exitCode, err } = await run(
      [
        proxy.url,
        '--upstream',
        server.url,
        '--checks',
        'LLM-BODY,LLM-CRED',
        '--routes',
        'routes.yaml',
        '--h2',
        '--verbose',
        '--out',
        'report',
      ],
      { workingDirectory: folder },
    )
    t.equal(exitCode, 0, err)
    const report = JSON.parse(readFileSync(join(folder, 'report', 'report.json'), 'utf8')) as {
      options: { h2: boolean }
      results: { id: string; verdict: string; summary: string; exchanges: { sent: { bytes: string } }[] }[]
    }
    t.equal(report.options.h2, true)
    t.match(report.results, [
      { id: 'LLM-BODY', verdict: 'pass' },
      { id: 'LLM-CRED', verdict: 'warn', summary: "the client's key arrives at the provider" },
    ])
    t.match(report.results[1]!.exchanges[0]!.sent.bytes, /^POST \/v1\/chat\/completions [^]*"model":"small"/)
  }
})
