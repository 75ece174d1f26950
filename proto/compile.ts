/**
 * Compiles the descriptor sets of the gRPC services. Run it after you change a `.proto` file
 * (`node --import tsx proto/compile.ts`). A test compares its output with the committed files.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ensureInstalled } from '../test/runner/manifests.ts'

const folder = import.meta.dirname
const modules = join(folder, '..', 'node_modules')
/** What only this script needs: `proto/package.json` lists it. */
const generators = join(folder, 'node_modules')

/** Path of the committed descriptor set of the plugin `grpc`: the echo service and the standard services. */
export const DESCRIPTOR_SET = join(folder, 'descriptors.binpb')
/** Path of that of the plugin `a2a-grpc`. A set of its own, because reflection lists all services of a set. */
export const A2A_DESCRIPTOR_SET = join(folder, 'a2a.binpb')
/** Path of that of the plugin `orca`. */
export const ORCA_DESCRIPTOR_SET = join(folder, 'orca.binpb')
/** Path of the descriptor set of a service of the plugin `grpc-services`: each has its own, because each can be disabled. */
export const serviceDescriptorSet = (file: string): string => join(folder, 'services', `${file}.binpb`)

/** Sources of the plugin `grpc-services`, without `.proto`. */
const SERVICE_FILES = [
  'addsvc',
  'fgrpc_ping',
  'grpc_testing',
  'grpcbin',
  'grpcecho',
  'hello',
  'helloworld',
  'istio_echo',
  'whoami',
]
/** Path of that of the plugin `ext-authz`. */
export const AUTHZ_DESCRIPTOR_SET = join(folder, 'ext-authz.binpb')
/** Path of that of the plugin `rate-limit`. */
export const RATE_LIMIT_DESCRIPTOR_SET = join(folder, 'rate-limit.binpb')
/** Path of that of the plugin `ext-mcp`. */
export const EXT_MCP_DESCRIPTOR_SET = join(folder, 'ext-mcp.binpb')

/** Path of that of the plugin `ext-proc`. */
export const EXT_PROC_DESCRIPTOR_SET = join(folder, 'ext-proc.binpb')

/** Path of that of the plugin `telemetry`: the services of OTLP. */
export const OTLP_DESCRIPTOR_SET = join(folder, 'otlp.binpb')

/** Path of that of its access log service. */
export const ALS_DESCRIPTOR_SET = join(folder, 'als.binpb')

/** Names of files in a set, and their sources. */
type Sources = Readonly<Record<string, string>>

/** Error details. */
const RPC_SOURCES: Sources = {
  'google/rpc/status.proto': join(generators, 'google-proto-files/google/rpc/status.proto'),
  'google/rpc/error_details.proto': join(generators, 'google-proto-files/google/rpc/error_details.proto'),
}

const STANDARD_SOURCES: Sources = {
  'svc/echo/v1/echo.proto': join(folder, 'svc/echo/v1/echo.proto'),
  ...RPC_SOURCES,
  'grpc/health/v1/health.proto': join(modules, 'grpc-health-check/proto/health/v1/health.proto'),
  'grpc/reflection/v1/reflection.proto': join(
    modules,
    '@grpc/reflection/build/proto/grpc/reflection/v1/reflection.proto',
  ),
  'grpc/reflection/v1alpha/reflection.proto': join(
    modules,
    '@grpc/reflection/build/proto/grpc/reflection/v1alpha/reflection.proto',
  ),
}

const A2A_SOURCES: Sources = {
  'lf/a2a/v1/a2a.proto': join(folder, 'lf/a2a/v1/a2a.proto'),
  ...RPC_SOURCES,
}

const ORCA_SOURCES: Sources = ownSources(['xds/data/orca/v3/orca_load_report.proto', 'xds/service/orca/v3/orca.proto'])
const AUTHZ_SOURCES: Sources = {
  ...ownSources([
    'envoy/config/core/v3/base.proto',
    'envoy/type/v3/http_status.proto',
    'envoy/service/auth/v3/attribute_context.proto',
    'envoy/service/auth/v3/external_auth.proto',
  ]),
  ...RPC_SOURCES,
}

const RATE_LIMIT_SOURCES: Sources = ownSources([
  'envoy/config/core/v3/base.proto',
  'envoy/type/v3/ratelimit_unit.proto',
  'envoy/extensions/common/ratelimit/v3/ratelimit.proto',
  'envoy/service/ratelimit/v3/rls.proto',
])

const EXT_PROC_SOURCES: Sources = ownSources([
  'envoy/config/core/v3/base.proto',
  'envoy/type/v3/http_status.proto',
  'envoy/extensions/filters/http/ext_proc/v3/processing_mode.proto',
  'envoy/service/ext_proc/v3/external_processor.proto',
])

const OTLP_SOURCES: Sources = ownSources([
  'opentelemetry/proto/common/v1/common.proto',
  'opentelemetry/proto/resource/v1/resource.proto',
  ...['trace', 'metrics', 'logs'].flatMap(signal => [
    `opentelemetry/proto/${signal}/v1/${signal}.proto`,
    `opentelemetry/proto/collector/${signal}/v1/${signal}_service.proto`,
  ]),
])

const ALS_SOURCES: Sources = ownSources([
  'envoy/config/core/v3/base.proto',
  'envoy/data/accesslog/v3/accesslog.proto',
  'envoy/service/accesslog/v3/als.proto',
])

/** Files of this folder, by the names under which others import them. */
function ownSources(names: readonly string[]): Sources {
  return Object.fromEntries(names.map(name => [name, join(folder, name)]))
}

export const DESCRIPTOR_SETS: readonly { path: string; sources: Sources }[] = [
  { path: DESCRIPTOR_SET, sources: STANDARD_SOURCES },
  { path: A2A_DESCRIPTOR_SET, sources: A2A_SOURCES },
  { path: ORCA_DESCRIPTOR_SET, sources: ORCA_SOURCES },
  ...SERVICE_FILES.map(file => ({
    path: serviceDescriptorSet(file),
    sources: { [`${file}.proto`]: join(folder, 'services', `${file}.proto`) },
  })),
  { path: AUTHZ_DESCRIPTOR_SET, sources: AUTHZ_SOURCES },
  { path: RATE_LIMIT_DESCRIPTOR_SET, sources: RATE_LIMIT_SOURCES },
  { path: EXT_MCP_DESCRIPTOR_SET, sources: ownSources(['agentgateway/ext_mcp.proto']) },
  { path: EXT_PROC_DESCRIPTOR_SET, sources: EXT_PROC_SOURCES },
  { path: OTLP_DESCRIPTOR_SET, sources: OTLP_SOURCES },
  { path: ALS_DESCRIPTOR_SET, sources: ALS_SOURCES },
]

/** Compiles the sources and their imports into a FileDescriptorSet. The generators must be installed. */
export function compileDescriptorSet(sources: Sources): Buffer {
  const workspace = mkdtempSync(join(tmpdir(), 'svc-proto-'))
  try {
    for (const [name, source] of Object.entries(sources)) {
      mkdirSync(dirname(join(workspace, name)), { recursive: true })
      cpSync(source, join(workspace, name))
    }
    writeFileSync(join(workspace, 'buf.yaml'), 'version: v2\n')
    const output = join(workspace, 'descriptors.binpb')
    const buf = join(generators, '@bufbuild', 'buf', 'bin', 'buf')
    execFileSync(
      process.execPath,
      [buf, 'build', workspace, '--as-file-descriptor-set', '--exclude-source-info', '-o', output],
      { stdio: 'pipe' },
    )
    return readFileSync(output)
  } finally {
    rmSync(workspace, { recursive: true, force: true })
  }
}

if (process.argv[1] === import.meta.filename) {
  ensureInstalled('proto')
  for (const { path, sources } of DESCRIPTOR_SETS) writeFileSync(path, compileDescriptorSet(sources))
}
