/**
 * The environment variables of the core. Plugins declare their own (`variables` of a definition). Parsing, warnings,
 * `GET /_svc/config` and the reference in `docs/configuration.md` are generated from both. To add a variable to the
 * core, add a row here and a field to `Config`.
 */
import { randomUUID } from 'node:crypto'
import { availableParallelism } from 'node:os'
import {
  basePath,
  bindAddress,
  corsOrigins,
  folders,
  headerName,
  hostNames,
  instanceName,
  redisUrl,
  stateStoreUrl,
} from './address-parsers.ts'
import type { Config, ControlAuth, Field, LogFormat, ValueAt } from './config.ts'
import { parseLogLevel, type LogLevel } from './log-level.ts'
import { boolean, clampedNumber, oneOf, parser, text, wholeNumber, type Parser } from '../contract/parsers.ts'
import type { VariableDefinition } from '../contract/declarations.ts'
import { dailyRequests, planLimit, planMegabytes } from './limit-parsers.ts'
import { planNames, planPresets, type LimitPeriod, type LimitScope, type PlanLimits, type PlanName } from './plans.ts'

export type { Config, ControlAuth, Field, LogFormat, ValueAt } from './config.ts'
export type { LogLevel } from './log-level.ts'
export type { LimitPeriod, LimitScope, PlanLimits, PlanName, PresetName } from './plans.ts'
export { planPresets } from './plans.ts'

/** A row of the table. `Path` is the field of `Config` that it sets. */
export interface Variable<Path extends Field = Field>
  extends Pick<
    VariableDefinition<ValueAt<Path>>,
    'name' | 'parser' | 'defaultText' | 'description' | 'secret' | 'emptyIsValue'
  > {
  field: Path
  /** The default, or a function that computes it from the rows above. */
  default: ValueAt<Path> | ((config: Config) => ValueAt<Path>)
  /**
   * Dotted path in `GET /_svc/config`; null hides the variable. A name that ends in `_configured` only shows whether a
   * value is set.
   */
  shownAs: string | null
  /** Computes what is shown instead of the value. */
  show?: (config: Config) => unknown
  /** Another variable that is read when this one is unset. */
  alias?: string
}

/** Makes the compiler check a row against the type of its field. */
function row<Path extends Field>(variable: Variable<Path>): Variable {
  return variable as unknown as Variable
}

const logLevel = parser<LogLevel>('trace, debug, info, warn, error or off', parseLogLevel)
const controlAuth = oneOf<ControlAuth>(['open', 'token', 'jwt'], { off: 'open', none: 'open', admin: 'token' })
const plan: Parser<PlanName> = oneOf<PlanName>(planNames, { off: 'none' })
const period = oneOf<LimitPeriod>(['day', 'month'], { daily: 'day', monthly: 'month' })
const scope = oneOf<LimitScope>(['instance', 'session'], { global: 'instance', client: 'session' })
const nullableText: Parser<string | null> = text
const storePrefix = parser('1 to 32 of a-z, 0-9, period, hyphen and underscore', value =>
  /^[a-z0-9][a-z0-9._-]{0,31}$/.test(value) ? value : undefined,
)
const storeSecret = parser<string | null>('text of at least 32 characters', value =>
  value.length >= 32 ? value : undefined,
)
const workerCount = parser('number of processes, 1 to 64, or auto', value => {
  if (value.toLowerCase() === 'auto') return Math.min(availableParallelism(), 64)
  return /^\d{1,2}$/.test(value) && Number(value) >= 1 && Number(value) <= 64 ? Number(value) : undefined
})
const KIB = 1024
const MIB = 1024 * KIB
/** A boolean that is documented as a switch. */
const switched = { ...boolean, expected: 'on or off' }
const port = wholeNumber(0, 65535, 'port')

/** The default of a limit: the value of the plan named by `SVC_PLAN`. */
function ofPlan<Limit extends keyof PlanLimits>(limit: Limit): (config: Config) => PlanLimits[Limit] {
  return config => planPresets[config.plan.name][limit]
}

/** In the order of the reference. The default of a row may depend on the rows above it. */
export const variables: readonly Variable[] = [
  // modes; other defaults depend on them
  row({
    name: 'SVC_PUBLIC_MODE',
    field: 'publicMode',
    parser: boolean,
    default: false,
    shownAs: 'public_mode',
    description:
      'Hardening for instances that strangers can reach: lower limits, the inspector captures only requests with `X-Svc-Session`, and instance-wide changes require the admin token.',
  }),
  row({
    name: 'SVC_HOSTED_MODE',
    field: 'hostedMode',
    parser: boolean,
    default: false,
    shownAs: 'hosted_mode',
    description:
      'Preset for hosted instances: sets `SVC_CONTROL_AUTH=jwt` and `SVC_LOG_FORMAT=json` unless those variables are set.',
  }),

  // listeners
  row({
    name: 'SVC_HTTP_PORT',
    field: 'httpPort',
    parser: port,
    default: 80,
    shownAs: 'http_port',
    description: 'Port of the HTTP listener; 0 picks a free port.',
  }),
  row({
    name: 'SVC_HTTPS_PORT',
    field: 'httpsPort',
    parser: port,
    default: 443,
    shownAs: 'https_port',
    description: 'Port of the HTTPS listener; 0 picks a free port.',
  }),
  row({
    name: 'SVC_GRPC_PORT',
    field: 'grpcPort',
    parser: port,
    default: 50051,
    shownAs: 'grpc_port',
    description: 'Port of the gRPC listener (h2c and gRPC-Web); 0 picks a free port.',
  }),
  row({
    name: 'SVC_HOST',
    field: 'host',
    parser: bindAddress,
    default: '0.0.0.0',
    shownAs: 'host',
    description: 'Bind address of all listeners; `::` also accepts IPv4.',
  }),
  row({
    name: 'SVC_GRPC_ON_HTTP',
    field: 'grpcOnHttp',
    parser: boolean,
    default: false,
    shownAs: 'grpc_on_http',
    description: 'Serve HTTP/2 and the gRPC services on the HTTP and HTTPS ports too.',
  }),
  row({
    name: 'SVC_TLS_CERT',
    field: 'tlsCert',
    parser: text,
    default: 'certs/server.crt',
    shownAs: 'tls_cert',
    description: 'Path of the HTTPS certificate; the demo CA is stored in the same folder.',
  }),
  row({
    name: 'SVC_TLS_KEY',
    field: 'tlsKey',
    parser: text,
    default: 'certs/server.key',
    shownAs: 'tls_key',
    description: 'Path of the HTTPS private key.',
  }),
  row({
    name: 'SVC_MTLS_IN_HEADER',
    field: 'mtlsInHeader',
    parser: headerName,
    default: null,
    shownAs: 'mtls_in_header',
    description: 'Request header in which a gateway forwards the client certificate.',
  }),
  row({
    name: 'SVC_TRUST_FORWARD',
    field: 'trustForward',
    parser: boolean,
    default: false,
    shownAs: 'trust_forward',
    description:
      'Trust proxy headers (`Forwarded`, `X-Forwarded-*`, `X-Real-IP`) for client address, scheme, host and path prefix.',
  }),
  row({
    name: 'SVC_BASE_PATH',
    field: 'basePath',
    parser: basePath,
    default: null,
    shownAs: 'base_path',
    description:
      'Path prefix under which clients reach the service, such as `/svc`. It is added to every generated URL and accepted in front of every path. In generated URLs a trusted `X-Forwarded-Prefix` takes precedence.',
  }),

  // requests
  row({
    name: 'SVC_REQUEST_TIMEOUT',
    field: 'requestTimeoutSecs',
    parser: wholeNumber(0, 86_400, 'seconds'),
    default: 120,
    shownAs: 'request_timeout_secs',
    description: 'Seconds a route has to send response headers before the client gets 503; 0 disables the timeout.',
  }),
  row({
    name: 'SVC_BODY_LIMIT',
    field: 'bodyLimit',
    parser: wholeNumber(1, 1_073_741_824, 'bytes'),
    default: 1_048_576,
    shownAs: 'body_limit',
    description: 'Maximum request body size in bytes; a larger body gets 413.',
  }),
  row({
    name: 'SVC_CORS_ORIGINS',
    field: 'corsOrigins',
    parser: corsOrigins,
    default: () => ['*'],
    defaultText: '*',
    shownAs: 'cors_allow_origins',
    emptyIsValue: true,
    description: 'Origins allowed by CORS; `off` or an empty value disables CORS.',
  }),
  row({
    name: 'SVC_HOSTS',
    field: 'hosts',
    parser: hostNames,
    default: () => [],
    defaultText: "the machine's own host name",
    shownAs: 'hosts',
    description:
      'Additional host names under which browsers on this machine may use the control plane, besides IP addresses and `localhost`. Pages served from these hosts count as same-origin.',
  }),
  row({
    name: 'SVC_FAST_PATHS',
    field: 'fastPaths',
    parser: switched,
    default: true,
    defaultText: '`on`',
    shownAs: 'fast_paths',
    description:
      'Send responses faster through undocumented Node APIs, with identical bytes; `off` uses only documented APIs.',
  }),

  // instance
  row({
    name: 'SVC_INSTANCE_ID',
    field: 'instanceId',
    parser: instanceName,
    default: () => randomUUID(),
    defaultText: 'a random UUID',
    shownAs: 'instance_id',
    description: 'Name of this instance, as shown in responses.',
  }),
  row({
    name: 'SVC_GIT_SHA',
    field: 'gitSha',
    parser: nullableText,
    default: null,
    defaultText: 'HEAD of the checkout',
    shownAs: null,
    description: 'Git revision shown by `/_svc/version`.',
  }),
  row({
    name: 'SVC_LOG_LEVEL',
    field: 'logLevel',
    parser: logLevel,
    default: 'info',
    shownAs: 'log_level',
    alias: 'RUST_LOG',
    description:
      'Minimum log level. In a list such as `warn,http=debug` the level without a target applies. Falls back to `RUST_LOG`.',
  }),
  row({
    name: 'SVC_LOG_FORMAT',
    field: 'logFormat',
    parser: oneOf<LogFormat>(['text', 'json']),
    default: config => (config.hostedMode ? 'json' : 'text'),
    defaultText: 'text; json in hosted mode',
    shownAs: 'log_format',
    description: 'Log format on standard output: readable text, or one JSON object per line.',
  }),
  row({
    name: 'SVC_INSPECTOR_CAPACITY',
    field: 'inspectorCapacity',
    parser: clampedNumber(1, 10_000),
    default: 500,
    shownAs: 'inspector_capacity',
    description: 'Number of requests the inspector keeps.',
  }),

  // control plane
  row({
    name: 'SVC_ADMIN_TOKEN',
    field: 'adminToken',
    parser: nullableText,
    default: null,
    shownAs: 'admin_token_configured',
    secret: true,
    description: 'Token required for instance-wide changes.',
  }),
  row({
    name: 'SVC_CONTROL_AUTH',
    field: 'controlAuth',
    parser: controlAuth,
    default: config => (config.hostedMode ? 'jwt' : 'open'),
    defaultText: 'open; jwt in hosted mode',
    shownAs: 'control_auth',
    description:
      'Credential required below `/_svc`: none (`open`), the admin token (`token`), or the admin token or a JWT (`jwt`).',
  }),
  row({
    name: 'SVC_CONTROL_JWT_PUBLIC_KEY',
    field: 'controlJwtPublicKey',
    parser: nullableText,
    default: null,
    shownAs: 'control_jwt_key_configured',
    secret: true,
    description: 'Ed25519 public key that verifies control-plane JWTs: PEM, base64 DER, or base64 of the raw 32 bytes.',
  }),
  row({
    name: 'SVC_CONTROL_JWT_AUDIENCE',
    field: 'controlJwtAudience',
    parser: text,
    default: config => config.instanceId,
    defaultText: 'the instance id, or the prefix of the state store',
    shownAs: 'control_jwt_audience',
    description: 'Required audience (`aud`) of control-plane JWTs.',
  }),

  // files and plugins
  row({
    name: 'SVC_CONFIG_FILE',
    field: 'configFile',
    parser: nullableText,
    default: null,
    defaultText: './svc.yaml if it exists',
    shownAs: 'config_file',
    description: 'Path of the configuration file; `--config` takes precedence.',
  }),
  row({
    name: 'SVC_PLUGINS_DIR',
    field: 'pluginDirs',
    parser: folders,
    default: () => [],
    defaultText: 'none',
    shownAs: 'plugin_dirs',
    description: 'Additional plugin folders.',
  }),
  row({
    name: 'SVC_WATCH',
    field: 'watch',
    parser: boolean,
    default: config => !config.publicMode && !config.hostedMode,
    defaultText: 'true; false in public and hosted mode',
    shownAs: 'watch',
    description: 'Reload when plugins or the configuration file change on disk.',
  }),

  // budgets
  row({
    name: 'SVC_BUDGET_OUTPUT_BYTES',
    field: 'budgets.outputBytes',
    parser: wholeNumber(65_536, 1_073_741_824, 'bytes'),
    default: config => (config.publicMode ? 1 : 16) * MIB,
    defaultText: '16777216; 1048576 in public mode',
    shownAs: 'budgets.output_bytes',
    description:
      'Bytes of one generated answer, counted before it is rendered: templates, replies of models, generated data. A larger one gets 400. Routes whose purpose is size have limits of their own.',
  }),
  row({
    name: 'SVC_BUDGET_STEPS',
    field: 'budgets.steps',
    parser: wholeNumber(10_000, 10_000_000_000, 'steps'),
    default: 5_000_000,
    shownAs: 'budgets.steps',
    description:
      'Steps of one evaluation of conditions, patterns and JSONPaths; the default is worth about 50 ms of processor time. A condition that needs more counts as not met.',
  }),
  row({
    name: 'SVC_BUDGET_STREAM_BYTES',
    field: 'budgets.unsentStreamBytes',
    parser: wholeNumber(16_384, 1_073_741_824, 'bytes'),
    default: 256 * KIB,
    shownAs: 'budgets.stream_bytes',
    description: 'Unsent bytes of one stream (SSE, WebSocket, gRPC, HTTP body), above which its writer waits.',
  }),
  row({
    name: 'SVC_BUDGET_CLIENT_BYTES',
    field: 'budgets.unsentClientBytes',
    parser: wholeNumber(65_536, 1_073_741_824, 'bytes'),
    default: 4 * MIB,
    shownAs: 'budgets.client_bytes',
    description:
      'Unsent bytes of the streams of one client address, above which those are ended that are hardly read, the slowest first.',
  }),
  row({
    name: 'SVC_BUDGET_MEMORY_BYTES',
    field: 'budgets.unsentTotalBytes',
    parser: wholeNumber(1_048_576, 17_179_869_184, 'bytes'),
    default: config => (config.publicMode ? 32 : 64) * MIB,
    defaultText: '67108864; 33554432 in public mode',
    shownAs: 'budgets.memory_bytes',
    description:
      'Unsent bytes of all streams, above which the slowest of them is ended; and the same again for bytes of large answers that are being made or sent, above which further ones get 503.',
  }),
  row({
    name: 'SVC_BUDGET_WORK_MS',
    field: 'budgets.workMs',
    parser: wholeNumber(1, 1000, 'milliseconds'),
    default: 20,
    shownAs: 'budgets.work_ms',
    description: 'Milliseconds of work after which a loop over many items lets other requests run.',
  }),

  // plan limiter
  row({
    name: 'SVC_PLAN',
    field: 'plan.name',
    parser: plan,
    default: 'none',
    shownAs: 'plan',
    description: 'Plan that limits requests; the `SVC_LIMIT_*` variables override its values.',
  }),
  row({
    name: 'SVC_LIMIT_SCOPE',
    field: 'plan.limits.scope',
    parser: scope,
    default: ofPlan('scope'),
    defaultText: 'from the plan',
    shownAs: 'limits.scope',
    description: 'Count requests per instance or per session.',
  }),
  row({
    name: 'SVC_LIMIT_PERIOD',
    field: 'plan.limits.period',
    parser: period,
    default: ofPlan('period'),
    defaultText: 'from the plan',
    shownAs: 'limits.period',
    description: 'Calendar period of the quotas (UTC).',
  }),
  row({
    name: 'SVC_LIMIT_RPS',
    field: 'plan.limits.rps',
    parser: planLimit,
    default: ofPlan('rps'),
    defaultText: 'from the plan',
    shownAs: 'limits.rps',
    description: 'Requests per second; 0 is unlimited.',
  }),
  row({
    name: 'SVC_LIMIT_BURST',
    field: 'plan.limits.burst',
    parser: planLimit,
    default: ofPlan('burst'),
    defaultText: 'from the plan',
    shownAs: 'limits.burst',
    description: 'Requests allowed in a burst; 0 uses the value of `SVC_LIMIT_RPS`.',
  }),
  row({
    name: 'SVC_LIMIT_CONCURRENCY',
    field: 'plan.limits.concurrency',
    parser: planLimit,
    default: ofPlan('concurrency'),
    defaultText: 'from the plan',
    shownAs: 'limits.concurrency',
    description: 'Concurrent requests; 0 is unlimited.',
  }),
  row({
    name: 'SVC_LIMIT_STREAMS',
    field: 'plan.limits.streams',
    parser: planLimit,
    default: ofPlan('streams'),
    defaultText: 'from the plan',
    shownAs: 'limits.streams',
    description: 'Open event streams and WebSockets; 0 is unlimited.',
  }),
  row({
    name: 'SVC_LIMIT_STREAM_SECS',
    field: 'plan.limits.streamLifetimeSecs',
    parser: planLimit,
    default: ofPlan('streamLifetimeSecs'),
    defaultText: 'from the plan',
    shownAs: 'limits.stream_lifetime_secs',
    description: 'Maximum lifetime of a stream in seconds; 0 is unlimited.',
  }),
  row({
    name: 'SVC_LIMIT_REQUESTS',
    field: 'plan.limits.requests',
    parser: planLimit,
    default: ofPlan('requests'),
    defaultText: 'from the plan',
    shownAs: 'limits.requests',
    description: 'Requests per period; 0 is unlimited.',
  }),
  row({
    name: 'SVC_LIMIT_EGRESS_MB',
    field: 'plan.limits.egressBytes',
    parser: planMegabytes,
    default: ofPlan('egressBytes'),
    defaultText: 'from the plan',
    shownAs: 'limits.egress_bytes',
    description: 'Megabytes (1,000,000 bytes) of response bodies per period, fractions allowed; 0 is unlimited.',
  }),
  row({
    name: 'SVC_USAGE_FILE',
    field: 'usageFile',
    parser: nullableText,
    default: null,
    shownAs: 'limits.usage_file_configured',
    description: 'File that keeps the quota counters of the instance across restarts. Ignored with `SVC_STATE_STORE`.',
  }),

  // shared mode
  row({
    name: 'SVC_SHARED_MODE',
    field: 'shared.enabled',
    parser: boolean,
    default: false,
    shownAs: 'shared_mode',
    description: 'Identify, count and limit requests by API key.',
  }),
  row({
    name: 'SVC_REQUIRE_KEY',
    field: 'shared.requireKey',
    parser: boolean,
    default: false,
    shownAs: 'require_key',
    description: 'Reject requests without an API key; turns shared mode on.',
  }),
  row({
    name: 'SVC_KEY_REGISTRY',
    field: 'shared.registry',
    parser: nullableText,
    default: null,
    defaultText: 'none: every well-formed key is valid',
    shownAs: 'key_registry',
    show: registryKind,
    description: 'Path or HTTP(S) URL of the key registry.',
  }),
  row({
    name: 'SVC_KEY_REGISTRY_TOKEN',
    field: 'shared.registryToken',
    parser: nullableText,
    default: null,
    shownAs: null,
    secret: true,
    description: 'Bearer token sent when the registry is fetched from a URL.',
  }),
  row({
    name: 'SVC_KEY_REGISTRY_SECS',
    field: 'shared.registrySecs',
    parser: wholeNumber(1, 86_400, 'seconds'),
    default: 60,
    shownAs: null,
    description: 'Seconds between reloads of the registry.',
  }),
  row({
    name: 'SVC_KEY_DAILY_REQUESTS',
    field: 'shared.dailyRequests',
    parser: dailyRequests,
    default: 10_000,
    shownAs: null,
    description: 'Daily request quota for keys that do not set their own; 0 is unlimited.',
  }),
  row({
    name: 'SVC_QUOTA_STORE',
    field: 'shared.quotaStore',
    parser: redisUrl,
    default: null,
    shownAs: 'quota_store_configured',
    secret: true,
    description: 'URL of a Redis-compatible server in which several instances share their counters.',
  }),

  // several processes
  row({
    name: 'SVC_WORKERS',
    field: 'workers',
    parser: workerCount,
    default: 1,
    shownAs: 'workers',
    description:
      'Number of processes behind one set of ports; `auto` means one for each core. Without `SVC_STATE_STORE` each has its own state.',
  }),
  row({
    name: 'SVC_STATE_STORE',
    field: 'stateStore.url',
    parser: stateStoreUrl,
    default: null,
    defaultText: 'none: state is in the memory of the process',
    shownAs: 'state_store_configured',
    secret: true,
    description:
      'URL of the Redis or Valkey server in which all replicas keep their state. `local` starts one that ends with svc, for `SVC_WORKERS`.',
  }),
  row({
    name: 'SVC_STATE_STORE_PASSWORD',
    field: 'stateStore.password',
    parser: nullableText,
    default: null,
    shownAs: null,
    secret: true,
    description: 'Password for the state store, instead of one in the URL.',
  }),
  row({
    name: 'SVC_STATE_STORE_PREFIX',
    field: 'stateStore.prefix',
    parser: storePrefix,
    default: 'svc',
    shownAs: 'state_store_prefix',
    description: 'Beginning of all keys and channels; deployments that use one server need different ones.',
  }),
  row({
    name: 'SVC_STATE_STORE_CA',
    field: 'stateStore.ca',
    parser: nullableText,
    default: null,
    defaultText: 'the CAs of the system',
    shownAs: null,
    description: 'Path of a PEM file with the CA of a `rediss://` server.',
  }),
  row({
    name: 'SVC_STATE_STORE_CLUSTER',
    field: 'stateStore.isCluster',
    parser: boolean,
    default: false,
    shownAs: 'state_store_cluster',
    description: 'Whether the URL leads to a node of a cluster.',
  }),
  row({
    name: 'SVC_STATE_STORE_TIMEOUT_MS',
    field: 'stateStore.timeoutMs',
    parser: wholeNumber(50, 10_000, 'milliseconds'),
    default: 1_000,
    shownAs: 'state_store_timeout_ms',
    description: 'Time limit of an operation of the state store, in milliseconds.',
  }),
  row({
    name: 'SVC_STATE_STORE_SECRET',
    field: 'stateStore.secret',
    parser: storeSecret,
    default: null,
    shownAs: 'state_store_encrypted',
    show: config => config.stateStore.secret !== null,
    secret: true,
    description: 'Text that encrypts credentials in the state store; the same for all replicas.',
  }),
]

/** Where API keys are looked up; null while shared mode is off. */
export function registryKind(config: Config): 'open' | 'file' | 'url' | null {
  if (!config.shared.enabled) return null
  if (config.shared.registry === null) return 'open'
  return /^https?:\/\//i.test(config.shared.registry) ? 'url' : 'file'
}
