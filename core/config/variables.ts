/**
 * The table of the core's environment variables; plugins declare their own (`variables` of a definition). Parsing,
 * warnings, `GET /_svc/config` and the reference in the README come from both. A new variable of the core is a new row
 * here and a field in `Config`.
 */
import { randomUUID } from 'node:crypto'
import {
  basePath,
  bindAddress,
  corsOrigins,
  folders,
  headerName,
  hostNames,
  instanceName,
  redisUrl,
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

/** A row of the table. `Path` is its place in `Config`. */
export interface Variable<Path extends Field = Field>
  extends Pick<
    VariableDefinition<ValueAt<Path>>,
    'name' | 'parser' | 'defaultText' | 'description' | 'secret' | 'emptyIsValue'
  > {
  field: Path
  /** Default, or how it follows from what rows above this one have set. */
  default: ValueAt<Path> | ((config: Config) => ValueAt<Path>)
  /**
   * Dotted path in `GET /_svc/config`; null: not shown. Under a name that ends in `_configured` only whether there is a
   * value is shown.
   */
  shownAs: string | null
  /** What is shown there, where it is not the value. */
  show?: (config: Config) => unknown
  /** A variable of another name that is read when this one is unset. */
  alias?: string
}

/** Lets the compiler check a row against the type of its field. */
function row<Path extends Field>(variable: Variable<Path>): Variable {
  return variable as unknown as Variable
}

const logLevel = parser<LogLevel>('trace, debug, info, warn, error or off', parseLogLevel)
const controlAuth = oneOf<ControlAuth>(['open', 'token', 'jwt'], { off: 'open', none: 'open', admin: 'token' })
const plan: Parser<PlanName> = oneOf<PlanName>(planNames, { off: 'none' })
const period = oneOf<LimitPeriod>(['day', 'month'], { daily: 'day', monthly: 'month' })
const scope = oneOf<LimitScope>(['instance', 'session'], { global: 'instance', client: 'session' })
const nullableText: Parser<string | null> = text
/** A boolean that is documented as a switch. */
const switched = { ...boolean, expected: 'on or off' }
const port = wholeNumber(0, 65535, 'port')

/** A limit's default: what the plan named by `SVC_PLAN` sets. */
function ofPlan<Limit extends keyof PlanLimits>(limit: Limit): (config: Config) => PlanLimits[Limit] {
  return config => planPresets[config.plan.name][limit]
}

/** In the order of the reference; a row's default may depend on rows above it. */
export const variables: readonly Variable[] = [
  // modes, on which other defaults depend
  row({
    name: 'SVC_PUBLIC_MODE',
    field: 'publicMode',
    parser: boolean,
    default: false,
    shownAs: 'public_mode',
    description:
      'Hardening for shared instances: lower caps, the inspector captures only requests with `X-Svc-Session`, changes of the whole instance need an admin token.',
  }),
  row({
    name: 'SVC_HOSTED_MODE',
    field: 'hostedMode',
    parser: boolean,
    default: false,
    shownAs: 'hosted_mode',
    description: 'Preset: control-plane authentication `jwt` and JSON logs, unless their own variables say otherwise.',
  }),

  // listeners
  row({
    name: 'SVC_HTTP_PORT',
    field: 'httpPort',
    parser: port,
    default: 80,
    shownAs: 'http_port',
    description: 'Port of the HTTP listener; 0 takes a free one.',
  }),
  row({
    name: 'SVC_HTTPS_PORT',
    field: 'httpsPort',
    parser: port,
    default: 443,
    shownAs: 'https_port',
    description: 'Port of the HTTPS listener; 0 takes a free one.',
  }),
  row({
    name: 'SVC_GRPC_PORT',
    field: 'grpcPort',
    parser: port,
    default: 50051,
    shownAs: 'grpc_port',
    description: 'Port of the gRPC listener (h2c and gRPC-Web); 0 takes a free one.',
  }),
  row({
    name: 'SVC_HOST',
    field: 'host',
    parser: bindAddress,
    default: '0.0.0.0',
    shownAs: 'host',
    description: 'Bind address of all listeners; `::` takes IPv4 too.',
  }),
  row({
    name: 'SVC_GRPC_ON_HTTP',
    field: 'grpcOnHttp',
    parser: boolean,
    default: false,
    shownAs: 'grpc_on_http',
    description: 'HTTP and HTTPS also speak HTTP/2 and serve the gRPC services.',
  }),
  row({
    name: 'SVC_TLS_CERT',
    field: 'tlsCert',
    parser: text,
    default: 'certs/server.crt',
    shownAs: 'tls_cert',
    description: 'Certificate of the HTTPS listener; the demo CA is kept in the same folder.',
  }),
  row({
    name: 'SVC_TLS_KEY',
    field: 'tlsKey',
    parser: text,
    default: 'certs/server.key',
    shownAs: 'tls_key',
    description: 'Key of the HTTPS listener.',
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
      'Believe proxy headers (`Forwarded`, `X-Forwarded-*`, `X-Real-IP`) about client address, scheme, host and prefix.',
  }),
  row({
    name: 'SVC_BASE_PATH',
    field: 'basePath',
    parser: basePath,
    default: null,
    shownAs: 'base_path',
    description:
      'Path prefix under which clients reach the service, such as `/svc`: part of every generated URL, and served in front of every path. A trusted `X-Forwarded-Prefix` takes precedence in generated URLs.',
  }),

  // requests
  row({
    name: 'SVC_REQUEST_TIMEOUT',
    field: 'requestTimeoutSecs',
    parser: wholeNumber(0, 86_400, 'seconds'),
    default: 120,
    shownAs: 'request_timeout_secs',
    description: 'Seconds until response headers must be out, else 503; 0 switches it off.',
  }),
  row({
    name: 'SVC_BODY_LIMIT',
    field: 'bodyLimit',
    parser: wholeNumber(1, 1_073_741_824, 'bytes'),
    default: 1_048_576,
    shownAs: 'body_limit',
    description: 'Largest request body in bytes; a larger one gets 413.',
  }),
  row({
    name: 'SVC_CORS_ORIGINS',
    field: 'corsOrigins',
    parser: corsOrigins,
    default: () => ['*'],
    defaultText: '*',
    shownAs: 'cors_allow_origins',
    emptyIsValue: true,
    description: 'Origins that browsers may call from; `off` or the empty value removes CORS.',
  }),
  row({
    name: 'SVC_HOSTS',
    field: 'hosts',
    parser: hostNames,
    default: () => [],
    defaultText: "the machine's own host name",
    shownAs: 'hosts',
    description:
      'Host names, besides IP addresses and `localhost`, under which browsers on this machine may use the control plane; a page from one of them counts as the own origin.',
  }),
  row({
    name: 'SVC_FAST_PATHS',
    field: 'fastPaths',
    parser: switched,
    default: true,
    defaultText: '`on`',
    shownAs: 'fast_paths',
    description: "Send the same bytes faster by undocumented members of Node; `off` is Node's own way.",
  }),

  // instance
  row({
    name: 'SVC_INSTANCE_ID',
    field: 'instanceId',
    parser: instanceName,
    default: () => randomUUID(),
    defaultText: 'a random UUID',
    shownAs: 'instance_id',
    description: 'Name of this instance in replies.',
  }),
  row({
    name: 'SVC_GIT_SHA',
    field: 'gitSha',
    parser: nullableText,
    default: null,
    defaultText: 'HEAD of the checkout',
    shownAs: null,
    description: 'Revision that `/_svc/version` shows.',
  }),
  row({
    name: 'SVC_LOG_LEVEL',
    field: 'logLevel',
    parser: logLevel,
    default: 'info',
    shownAs: 'log_level',
    alias: 'RUST_LOG',
    description:
      'Least level that is logged; of a list such as `warn,http=debug` the bare level counts. Unset: `RUST_LOG`.',
  }),
  row({
    name: 'SVC_LOG_FORMAT',
    field: 'logFormat',
    parser: oneOf<LogFormat>(['text', 'json']),
    default: config => (config.hostedMode ? 'json' : 'text'),
    defaultText: 'text; json in hosted mode',
    shownAs: 'log_format',
    description: 'Logs as readable lines or as one JSON object a line, on standard output.',
  }),
  row({
    name: 'SVC_INSPECTOR_CAPACITY',
    field: 'inspectorCapacity',
    parser: clampedNumber(1, 10_000),
    default: 500,
    shownAs: 'inspector_capacity',
    description: 'Requests that the inspector keeps.',
  }),

  // control plane
  row({
    name: 'SVC_ADMIN_TOKEN',
    field: 'adminToken',
    parser: nullableText,
    default: null,
    shownAs: 'admin_token_configured',
    secret: true,
    description: 'Token that changes of the whole instance need.',
  }),
  row({
    name: 'SVC_CONTROL_AUTH',
    field: 'controlAuth',
    parser: controlAuth,
    default: config => (config.hostedMode ? 'jwt' : 'open'),
    defaultText: 'open; jwt in hosted mode',
    shownAs: 'control_auth',
    description: 'What requests below `/_svc` must carry: nothing, the admin token, or that or a JWT.',
  }),
  row({
    name: 'SVC_CONTROL_JWT_PUBLIC_KEY',
    field: 'controlJwtPublicKey',
    parser: nullableText,
    default: null,
    shownAs: 'control_jwt_key_configured',
    secret: true,
    description: 'Ed25519 public key of control-plane JWTs: PEM, base64 DER, or base64 of the raw 32 bytes.',
  }),
  row({
    name: 'SVC_CONTROL_JWT_AUDIENCE',
    field: 'controlJwtAudience',
    parser: text,
    default: config => config.instanceId,
    defaultText: 'the instance id',
    shownAs: 'control_jwt_audience',
    description: 'Audience that control-plane JWTs must have.',
  }),

  // files and plugins
  row({
    name: 'SVC_CONFIG_FILE',
    field: 'configFile',
    parser: nullableText,
    default: null,
    defaultText: './svc.yaml if it exists',
    shownAs: 'config_file',
    description: 'Configuration file; `--config` takes precedence.',
  }),
  row({
    name: 'SVC_PLUGINS_DIR',
    field: 'pluginDirs',
    parser: folders,
    default: () => [],
    defaultText: 'none',
    shownAs: 'plugin_dirs',
    description: 'Further folders with plugins.',
  }),
  row({
    name: 'SVC_WATCH',
    field: 'watch',
    parser: boolean,
    default: config => !config.publicMode && !config.hostedMode,
    defaultText: 'true; false in public and hosted mode',
    shownAs: 'watch',
    description: 'Reload when plugins or configuration files change on disk.',
  }),

  // plan limiter
  row({
    name: 'SVC_PLAN',
    field: 'plan.name',
    parser: plan,
    default: 'none',
    shownAs: 'plan',
    description: 'Plan that limits requests; the single limits below replace values of it.',
  }),
  row({
    name: 'SVC_LIMIT_SCOPE',
    field: 'plan.limits.scope',
    parser: scope,
    default: ofPlan('scope'),
    defaultText: 'that of the plan',
    shownAs: 'limits.scope',
    description: 'Count for the whole instance, or for each session.',
  }),
  row({
    name: 'SVC_LIMIT_PERIOD',
    field: 'plan.limits.period',
    parser: period,
    default: ofPlan('period'),
    defaultText: 'that of the plan',
    shownAs: 'limits.period',
    description: 'Calendar period of the quotas, in UTC.',
  }),
  row({
    name: 'SVC_LIMIT_RPS',
    field: 'plan.limits.rps',
    parser: planLimit,
    default: ofPlan('rps'),
    defaultText: 'that of the plan',
    shownAs: 'limits.rps',
    description: 'Requests a second; 0 is unlimited.',
  }),
  row({
    name: 'SVC_LIMIT_BURST',
    field: 'plan.limits.burst',
    parser: planLimit,
    default: ofPlan('burst'),
    defaultText: 'that of the plan',
    shownAs: 'limits.burst',
    description: 'Requests at once above the rate; 0 is as many as the rate.',
  }),
  row({
    name: 'SVC_LIMIT_CONCURRENCY',
    field: 'plan.limits.concurrency',
    parser: planLimit,
    default: ofPlan('concurrency'),
    defaultText: 'that of the plan',
    shownAs: 'limits.concurrency',
    description: 'Requests in flight; 0 is unlimited.',
  }),
  row({
    name: 'SVC_LIMIT_STREAMS',
    field: 'plan.limits.streams',
    parser: planLimit,
    default: ofPlan('streams'),
    defaultText: 'that of the plan',
    shownAs: 'limits.streams',
    description: 'Open event streams and WebSockets; 0 is unlimited.',
  }),
  row({
    name: 'SVC_LIMIT_STREAM_SECS',
    field: 'plan.limits.streamLifetimeSecs',
    parser: planLimit,
    default: ofPlan('streamLifetimeSecs'),
    defaultText: 'that of the plan',
    shownAs: 'limits.stream_lifetime_secs',
    description: 'Seconds that a stream may live; 0 is unlimited.',
  }),
  row({
    name: 'SVC_LIMIT_REQUESTS',
    field: 'plan.limits.requests',
    parser: planLimit,
    default: ofPlan('requests'),
    defaultText: 'that of the plan',
    shownAs: 'limits.requests',
    description: 'Requests a period; 0 is unlimited.',
  }),
  row({
    name: 'SVC_LIMIT_EGRESS_MB',
    field: 'plan.limits.egressBytes',
    parser: planMegabytes,
    default: ofPlan('egressBytes'),
    defaultText: 'that of the plan',
    shownAs: 'limits.egress_bytes',
    description: 'Megabytes (1,000,000 bytes) of response bodies a period, fractions allowed; 0 is unlimited.',
  }),
  row({
    name: 'SVC_USAGE_FILE',
    field: 'usageFile',
    parser: nullableText,
    default: null,
    shownAs: 'limits.usage_file_configured',
    description: "File in which the instance's quota counters outlive a restart.",
  }),

  // shared mode
  row({
    name: 'SVC_SHARED_MODE',
    field: 'shared.enabled',
    parser: boolean,
    default: false,
    shownAs: 'shared_mode',
    description: 'API keys are identified, counted and limited.',
  }),
  row({
    name: 'SVC_REQUIRE_KEY',
    field: 'shared.requireKey',
    parser: boolean,
    default: false,
    shownAs: 'require_key',
    description: 'Requests without an API key are refused; turns shared mode on.',
  }),
  row({
    name: 'SVC_KEY_REGISTRY',
    field: 'shared.registry',
    parser: nullableText,
    default: null,
    defaultText: 'every well-formed key is valid',
    shownAs: 'key_registry',
    show: registryKind,
    description: 'Path or http(s) URL of the key registry.',
  }),
  row({
    name: 'SVC_KEY_REGISTRY_TOKEN',
    field: 'shared.registryToken',
    parser: nullableText,
    default: null,
    shownAs: null,
    secret: true,
    description: "Bearer token sent when the registry's URL is fetched.",
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
    description: 'Daily quota of a key without its own; 0 is unlimited.',
  }),
  row({
    name: 'SVC_QUOTA_STORE',
    field: 'shared.quotaStore',
    parser: redisUrl,
    default: null,
    shownAs: 'quota_store_configured',
    secret: true,
    description: 'Redis-compatible server that several instances count in.',
  }),
]

/** Where API keys are looked up; null while shared mode is off. */
export function registryKind(config: Config): 'open' | 'file' | 'url' | null {
  if (!config.shared.enabled) return null
  if (config.shared.registry === null) return 'open'
  return /^https?:\/\//i.test(config.shared.registry) ? 'url' : 'file'
}
