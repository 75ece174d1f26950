/**
 * The one table of all environment variables. Parsing, warnings, `GET /_svc/config` and the reference in the README
 * come from it; a new variable is a new row here and a field in `Config`.
 */
import { randomUUID } from 'node:crypto'
import { basePath, bindAddress, consoleTitle, corsOrigins, folders, headerName, hostNames, instanceName, looseOrigins, pageLink, pushTargets, redisUrl, resourceUrl } from './address-parsers.ts'
import type { Config, ControlAuth, Field, LogFormat, ValueAt } from './config.ts'
import { parseLogLevel, type LogLevel } from './log-level.ts'
import { boolean, clampedNumber, dailyRequests, list, oneOf, parser, planLimit, planMegabytes, text, wholeNumber, type Parser } from './parsers.ts'
import { planNames, planPresets, type LimitPeriod, type LimitScope, type PlanLimits, type PlanName } from './plans.ts'

export type { Config, ControlAuth, Field, LogFormat, ValueAt } from './config.ts'
export type { LogLevel } from './log-level.ts'
export type { LimitPeriod, LimitScope, PlanLimits, PlanName, PresetName } from './plans.ts'
export { planPresets } from './plans.ts'

/** A row of the table. `Path` is its place in `Config`. */
export interface Variable<Path extends Field = Field> {
  name: string
  field: Path
  parser: Parser<ValueAt<Path>>
  /** Default, or how it follows from what rows above this one have set. */
  fallback: ValueAt<Path> | ((config: Config) => ValueAt<Path>)
  /** The default in words, where the value alone does not say it. */
  fallbackText?: string
  /** One sentence, for the reference. */
  meaning: string
  /**
   * Dotted path in `GET /_svc/config`; null: not there. Below a name that ends in `_configured` only stands whether
   * there is a value.
   */
  shown: string | null
  /** What stands there, where it is not the value. */
  show?: (config: Config) => unknown
  /** Its value is never printed. */
  secret?: true
  /** A variable of another name that is read when this one is unset. */
  alias?: string
  /** The empty value is a value, not "unset". */
  emptyIsValue?: true
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
  return (config) => planPresets[config.plan.name][limit]
}

/** In the order of the reference; a row's default may depend on rows above it. */
export const variables: readonly Variable[] = [
  // modes, on which other defaults depend
  row({ name: 'SVC_PUBLIC_MODE', field: 'publicMode', parser: boolean, fallback: false, shown: 'public_mode', meaning: 'Hardening for shared instances: lower caps, the inspector captures only requests with `X-Svc-Session`, changes of the whole instance need an admin token.' }),
  row({ name: 'SVC_HOSTED_MODE', field: 'hostedMode', parser: boolean, fallback: false, shown: 'hosted_mode', meaning: 'Preset: control-plane authentication `jwt` and JSON logs, unless their own variables say otherwise.' }),

  // listeners
  row({ name: 'SVC_HTTP_PORT', field: 'httpPort', parser: port, fallback: 80, shown: 'http_port', meaning: 'Port of the HTTP listener; 0 takes a free one.' }),
  row({ name: 'SVC_HTTPS_PORT', field: 'httpsPort', parser: port, fallback: 443, shown: 'https_port', meaning: 'Port of the HTTPS listener; 0 takes a free one.' }),
  row({ name: 'SVC_GRPC_PORT', field: 'grpcPort', parser: port, fallback: 50051, shown: 'grpc_port', meaning: 'Port of the gRPC listener (h2c and gRPC-Web); 0 takes a free one.' }),
  row({ name: 'SVC_HOST', field: 'host', parser: bindAddress, fallback: '0.0.0.0', shown: 'host', meaning: 'Bind address of all listeners; `::` takes IPv4 too.' }),
  row({ name: 'SVC_GRPC_ON_HTTP', field: 'grpcOnHttp', parser: boolean, fallback: false, shown: 'grpc_on_http', meaning: 'HTTP and HTTPS also speak HTTP/2 and serve the gRPC services.' }),
  row({ name: 'SVC_TLS_CERT', field: 'tlsCert', parser: text, fallback: 'certs/server.crt', shown: 'tls_cert', meaning: 'Certificate of the HTTPS listener; the demo CA is kept in the same folder.' }),
  row({ name: 'SVC_TLS_KEY', field: 'tlsKey', parser: text, fallback: 'certs/server.key', shown: 'tls_key', meaning: 'Key of the HTTPS listener.' }),
  row({ name: 'SVC_MTLS_IN_HEADER', field: 'mtlsInHeader', parser: headerName, fallback: null, shown: 'mtls_in_header', meaning: 'Request header in which a gateway forwards the client certificate.' }),
  row({ name: 'SVC_TRUST_FORWARD', field: 'trustForward', parser: boolean, fallback: false, shown: 'trust_forward', meaning: 'Believe proxy headers (`Forwarded`, `X-Forwarded-*`, `X-Real-IP`) about client address, scheme, host and prefix.' }),
  row({ name: 'SVC_BASE_PATH', field: 'basePath', parser: basePath, fallback: null, shown: 'base_path', meaning: 'Path prefix under which clients reach the service, such as `/svc`: part of every generated URL, and served in front of every path. A trusted `X-Forwarded-Prefix` takes precedence in generated URLs.' }),

  // requests
  row({ name: 'SVC_REQUEST_TIMEOUT', field: 'requestTimeoutSecs', parser: wholeNumber(0, 86_400, 'seconds'), fallback: 120, shown: 'request_timeout_secs', meaning: 'Seconds until response headers must be out, else 503; 0 switches it off.' }),
  row({ name: 'SVC_BODY_LIMIT', field: 'bodyLimit', parser: wholeNumber(1, 1_073_741_824, 'bytes'), fallback: 1_048_576, shown: 'body_limit', meaning: 'Largest request body in bytes; a larger one gets 413.' }),
  row({ name: 'SVC_CORS_ORIGINS', field: 'corsOrigins', parser: corsOrigins, fallback: () => ['*'], fallbackText: '*', shown: 'cors_allow_origins', emptyIsValue: true, meaning: 'Origins that browsers may call from; `off` or the empty value removes CORS.' }),
  row({ name: 'SVC_HOSTS', field: 'hosts', parser: hostNames, fallback: () => [], fallbackText: "the machine's own host name", shown: 'hosts', meaning: 'Host names, besides IP addresses and `localhost`, under which browsers on this machine may use the control plane; a page from one of them counts as the own origin.' }),
  row({ name: 'SVC_FAST_PATHS', field: 'fastPaths', parser: switched, fallback: true, fallbackText: '`on`', shown: 'fast_paths', meaning: 'Send the same bytes faster by undocumented members of Node; `off` is Node\'s own way.' }),

  // instance
  row({ name: 'SVC_INSTANCE_ID', field: 'instanceId', parser: instanceName, fallback: () => randomUUID(), fallbackText: 'a random UUID', shown: 'instance_id', meaning: 'Name of this instance in replies.' }),
  row({ name: 'SVC_GIT_SHA', field: 'gitSha', parser: nullableText, fallback: null, fallbackText: 'HEAD of the checkout', shown: null, meaning: 'Revision that `/_svc/version` shows.' }),
  row({ name: 'SVC_LOG_LEVEL', field: 'logLevel', parser: logLevel, fallback: 'info', shown: 'log_level', alias: 'RUST_LOG', meaning: 'Least level that is logged; of a list such as `warn,http=debug` the bare level counts. Unset: `RUST_LOG`.' }),
  row({ name: 'SVC_LOG_FORMAT', field: 'logFormat', parser: oneOf<LogFormat>(['text', 'json']), fallback: (config) => (config.hostedMode ? 'json' : 'text'), fallbackText: 'text; json in hosted mode', shown: 'log_format', meaning: 'Logs as readable lines or as one JSON object a line, on standard output.' }),
  row({ name: 'SVC_INSPECTOR_CAPACITY', field: 'inspectorCapacity', parser: clampedNumber(1, 10_000), fallback: 500, shown: 'inspector_capacity', meaning: 'Requests that the inspector keeps.' }),

  // control plane
  row({ name: 'SVC_ADMIN_TOKEN', field: 'adminToken', parser: nullableText, fallback: null, shown: 'admin_token_configured', secret: true, meaning: 'Token that changes of the whole instance need.' }),
  row({ name: 'SVC_CONTROL_AUTH', field: 'controlAuth', parser: controlAuth, fallback: (config) => (config.hostedMode ? 'jwt' : 'open'), fallbackText: 'open; jwt in hosted mode', shown: 'control_auth', meaning: 'What requests below `/_svc` must carry: nothing, the admin token, or that or a JWT.' }),
  row({ name: 'SVC_CONTROL_JWT_PUBLIC_KEY', field: 'controlJwtPublicKey', parser: nullableText, fallback: null, shown: 'control_jwt_key_configured', secret: true, meaning: 'Ed25519 public key of control-plane JWTs: PEM, base64 DER, or base64 of the raw 32 bytes.' }),
  row({ name: 'SVC_CONTROL_JWT_AUDIENCE', field: 'controlJwtAudience', parser: text, fallback: (config) => config.instanceId, fallbackText: 'the instance id', shown: 'control_jwt_audience', meaning: 'Audience that control-plane JWTs must have.' }),
  row({ name: 'SVC_CONSOLE_TITLE', field: 'consoleTitle', parser: consoleTitle, fallback: null, shown: 'console_title', meaning: 'Text in the header and tab title of the console.' }),
  row({ name: 'SVC_CONSOLE_BACKLINK', field: 'consoleBacklink', parser: pageLink, fallback: null, shown: 'console_backlink', meaning: 'Address of the console\'s back link.' }),

  // files and plugins
  row({ name: 'SVC_CONFIG_FILE', field: 'configFile', parser: nullableText, fallback: null, fallbackText: './svc.yaml if it exists', shown: 'config_file', meaning: 'Configuration file; `--config` takes precedence.' }),
  row({ name: 'SVC_PLUGINS_DIR', field: 'pluginDirs', parser: folders, fallback: () => [], fallbackText: 'none', shown: 'plugin_dirs', meaning: 'Further folders with plugins.' }),
  row({ name: 'SVC_WATCH', field: 'watch', parser: boolean, fallback: (config) => !config.publicMode && !config.hostedMode, fallbackText: 'true; false in public and hosted mode', shown: 'watch', meaning: 'Reload when plugins or configuration files change on disk.' }),
  row({ name: 'SVC_MOCKS_DIR', field: 'mocks.dir', parser: nullableText, fallback: null, shown: 'mocks.dir', meaning: 'Folder of OpenAPI documents that are mocked.' }),
  row({ name: 'SVC_MOCKS_SAMPLE', field: 'mocks.sample', parser: boolean, fallback: true, shown: 'mocks.sample', meaning: 'Serve the built-in mock `petstore`.' }),

  // plan limiter
  row({ name: 'SVC_PLAN', field: 'plan.name', parser: plan, fallback: 'none', shown: 'plan', meaning: 'Plan that limits requests; the single limits below replace values of it.' }),
  row({ name: 'SVC_LIMIT_SCOPE', field: 'plan.limits.scope', parser: scope, fallback: ofPlan('scope'), fallbackText: 'that of the plan', shown: 'limits.scope', meaning: 'Count for the whole instance, or for each session.' }),
  row({ name: 'SVC_LIMIT_PERIOD', field: 'plan.limits.period', parser: period, fallback: ofPlan('period'), fallbackText: 'that of the plan', shown: 'limits.period', meaning: 'Calendar period of the quotas, in UTC.' }),
  row({ name: 'SVC_LIMIT_RPS', field: 'plan.limits.rps', parser: planLimit, fallback: ofPlan('rps'), fallbackText: 'that of the plan', shown: 'limits.rps', meaning: 'Requests a second; 0 is unlimited.' }),
  row({ name: 'SVC_LIMIT_BURST', field: 'plan.limits.burst', parser: planLimit, fallback: ofPlan('burst'), fallbackText: 'that of the plan', shown: 'limits.burst', meaning: 'Requests at once above the rate; 0 is as many as the rate.' }),
  row({ name: 'SVC_LIMIT_CONCURRENCY', field: 'plan.limits.concurrency', parser: planLimit, fallback: ofPlan('concurrency'), fallbackText: 'that of the plan', shown: 'limits.concurrency', meaning: 'Requests in flight; 0 is unlimited.' }),
  row({ name: 'SVC_LIMIT_STREAMS', field: 'plan.limits.streams', parser: planLimit, fallback: ofPlan('streams'), fallbackText: 'that of the plan', shown: 'limits.streams', meaning: 'Open event streams and WebSockets; 0 is unlimited.' }),
  row({ name: 'SVC_LIMIT_STREAM_SECS', field: 'plan.limits.streamLifetimeSecs', parser: planLimit, fallback: ofPlan('streamLifetimeSecs'), fallbackText: 'that of the plan', shown: 'limits.stream_lifetime_secs', meaning: 'Seconds that a stream may live; 0 is unlimited.' }),
  row({ name: 'SVC_LIMIT_REQUESTS', field: 'plan.limits.requests', parser: planLimit, fallback: ofPlan('requests'), fallbackText: 'that of the plan', shown: 'limits.requests', meaning: 'Requests a period; 0 is unlimited.' }),
  row({ name: 'SVC_LIMIT_EGRESS_MB', field: 'plan.limits.egressBytes', parser: planMegabytes, fallback: ofPlan('egressBytes'), fallbackText: 'that of the plan', shown: 'limits.egress_bytes', meaning: 'Megabytes (1,000,000 bytes) of response bodies a period, fractions allowed; 0 is unlimited.' }),
  row({ name: 'SVC_USAGE_FILE', field: 'usageFile', parser: nullableText, fallback: null, shown: 'limits.usage_file_configured', meaning: 'File in which the instance\'s quota counters outlive a restart.' }),

  // shared mode
  row({ name: 'SVC_SHARED_MODE', field: 'shared.enabled', parser: boolean, fallback: false, shown: 'shared_mode', meaning: 'API keys are identified, counted and limited.' }),
  row({ name: 'SVC_REQUIRE_KEY', field: 'shared.requireKey', parser: boolean, fallback: false, shown: 'require_key', meaning: 'Requests without an API key are refused; turns shared mode on.' }),
  row({ name: 'SVC_KEY_REGISTRY', field: 'shared.registry', parser: nullableText, fallback: null, fallbackText: 'every well-formed key is valid', shown: 'key_registry', show: registryKind, meaning: 'Path or http(s) URL of the key registry.' }),
  row({ name: 'SVC_KEY_REGISTRY_TOKEN', field: 'shared.registryToken', parser: nullableText, fallback: null, shown: null, secret: true, meaning: 'Bearer token sent when the registry\'s URL is fetched.' }),
  row({ name: 'SVC_KEY_REGISTRY_SECS', field: 'shared.registrySecs', parser: wholeNumber(1, 86_400, 'seconds'), fallback: 60, shown: null, meaning: 'Seconds between reloads of the registry.' }),
  row({ name: 'SVC_KEY_DAILY_REQUESTS', field: 'shared.dailyRequests', parser: dailyRequests, fallback: 10_000, shown: null, meaning: 'Daily quota of a key without its own; 0 is unlimited.' }),
  row({ name: 'SVC_QUOTA_STORE', field: 'shared.quotaStore', parser: redisUrl, fallback: null, shown: 'quota_store_configured', secret: true, meaning: 'Redis-compatible server that several instances count in.' }),

  // mock LLM, MCP, A2A
  row({ name: 'SVC_AI_REQUIRE_AUTH', field: 'ai.requireAuth', parser: boolean, fallback: false, shown: 'ai.require_auth', meaning: 'Mock LLM routes refuse requests without a credential.' }),
  row({ name: 'SVC_AI_API_KEY', field: 'ai.apiKey', parser: nullableText, fallback: null, shown: 'ai.api_key_configured', secret: true, meaning: 'The only credential that mock LLM routes take; implies `SVC_AI_REQUIRE_AUTH`.' }),
  row({ name: 'SVC_MCP_CLOCK_TICK_SECS', field: 'mcp.clockTickSecs', parser: wholeNumber(1, 3600, 'seconds'), fallback: 5, shown: 'mcp.clock_tick_secs', meaning: 'Seconds between updates of the MCP clock resource.' }),
  row({ name: 'SVC_MCP_API_KEY', field: 'mcp.apiKey', parser: nullableText, fallback: null, fallbackText: 'any value', shown: 'mcp.api_key_configured', secret: true, meaning: 'The only key that `/mcp/apikey` takes.' }),
  row({ name: 'SVC_MCP_RESOURCE_URL', field: 'mcp.resourceUrl', parser: resourceUrl, fallback: null, fallbackText: '<base>/mcp/protected', shown: 'mcp.resource_url', meaning: 'Resource that tokens for `/mcp/protected` are issued for.' }),
  row({ name: 'SVC_MCP_ACCEPTED_AUDIENCES', field: 'mcp.acceptedAudiences', parser: list({ none: true }), fallback: () => ['svc'], fallbackText: 'svc', shown: 'mcp.accepted_audiences', meaning: 'Audiences that `/mcp/protected` takes beside the resource; `none` for strict checks.' }),
  row({ name: 'SVC_MCP_ALLOWED_ORIGINS', field: 'mcp.allowedOrigins', parser: looseOrigins, fallback: () => ['*'], fallbackText: '*', shown: 'mcp.allowed_origins', meaning: 'Origins of browser requests that MCP routes take; others get 403.' }),
  row({ name: 'SVC_A2A_PUSH_ALLOWLIST', field: 'a2a.pushAllowlist', parser: pushTargets, fallback: () => [], fallbackText: 'none', shown: 'a2a.push_allowlist', meaning: 'Hosts that push notifications may go to.' }),
  row({ name: 'SVC_A2A_PUSH_ALLOW_ALL', field: 'a2a.pushAllowAll', parser: boolean, fallback: false, shown: 'a2a.push_allow_all', meaning: 'Push notifications may go to any http(s) URL; no effect in public mode.' }),
]

/** Where API keys are looked up; null while shared mode is off. */
export function registryKind(config: Config): 'open' | 'file' | 'url' | null {
  if (!config.shared.enabled) return null
  if (config.shared.registry === null) return 'open'
  return /^https?:\/\//i.test(config.shared.registry) ? 'url' : 'file'
}
