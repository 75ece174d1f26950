/** gRPC's own interoperability client, unchanged, against `grpc.testing.TestService` (sheet drop-in, 9 and 12). */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { serve } from '../support/server.ts'
import { findProgram, type Program, run } from './support/program.ts'

t.setTimeout(0)
const PACKAGE = 'google.golang.org/grpc/interop/client'
const VERSION = 'v1.85.0'
/** Only modules that are on this machine. */
const OFFLINE = {
  GOPROXY: 'off',
  GOSUMDB: 'off',
  GOFLAGS: '-mod=mod -buildvcs=false',
  GOTOOLCHAIN: 'local',
  GOWORK: 'off',
}
const BALANCER = '{"loadBalancingConfig":[{"test_backend_metrics_load_balancer":{}}]}'
/** Cases with the arguments that they need. */
const CASES: Readonly<Record<string, readonly string[]>> = {
  empty_unary: [],
  large_unary: [],
  client_streaming: [],
  server_streaming: [],
  ping_pong: [],
  empty_stream: [],
  timeout_on_sleeping_server: [],
  cancel_after_begin: [],
  cancel_after_first_response: [],
  status_code_and_message: [],
  special_status_message: [],
  custom_metadata: [],
  unimplemented_method: [],
  unimplemented_service: [],
  rpc_soak: [
    '-soak_iterations=5',
    '-soak_overall_timeout_seconds=120',
    '-soak_per_iteration_max_acceptable_latency_ms=30000',
  ],
  channel_soak: [
    '-soak_iterations=5',
    '-soak_overall_timeout_seconds=120',
    '-soak_per_iteration_max_acceptable_latency_ms=30000',
  ],
  orca_per_rpc: ['-service_config_json', BALANCER],
  orca_oob: ['-service_config_json', BALANCER],
}

const go = findProgram('go', ['version'])
const folder = mkdtempSync(join(tmpdir(), 'svc-interop-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const client = join(folder, 'client')
const skip = typeof go === 'string' ? go : await build(go)

t.test('the cases of the client pass [GSV-7]', { skip }, async t => {
  const { ports } = await serve(t, { plugins: ['grpc-services', 'orca'] })
  for (const [name, args] of Object.entries(CASES)) {
    const server = ['-server_host=127.0.0.1', `-server_port=${ports.grpc}`]
    const { code, output } = await run(client, [...server, `-test_case=${name}`, ...args], { cwd: folder })
    t.equal(code, 0, `${name}: ${output.slice(-2000)}`)
  }
  const unknown = await run(client, [`-server_port=${ports.grpc}`, '-server_host=127.0.0.1', '-test_case=none'], {
    cwd: folder,
  })
  t.not(unknown.code, 0, 'the client says what fails')
})

t.test('the page names the cases [GSV-7]', t => {
  const [, text = ''] =
    /## gRPC's interoperability tests\n([^]*?)\(versions/.exec(readFileSync('docs/drop-in.md', 'utf8')) ?? []
  t.strictSame([...text.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name).toSorted(), Object.keys(CASES).toSorted())
  t.end()
})

/** Builds the client; returns why it can't be built here, for `skip`. */
async function build(program: Program): Promise<string | false> {
  writeFileSync(
    join(folder, 'go.mod'),
    `module example.com/interop\n\ngo 1.25.0\n\nrequire google.golang.org/grpc ${VERSION}\n`,
  )
  writeFileSync(join(folder, 'tools.go'), `//go:build tools\n\npackage tools\n\nimport _ "${PACKAGE}"\n`)
  const { code, output } = await program.run(['build', '-o', 'client', PACKAGE], { cwd: folder, env: OFFLINE })
  if (/lookup disabled by GOPROXY=off|requires go >=/.test(output))
    return `no ${PACKAGE} ${VERSION} in Go's module cache`
  if (code !== 0) throw new Error(output)
  return false
}
