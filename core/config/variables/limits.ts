/** Variables of budgets, of the plan, and of API keys. */
import { boolean, oneOf, wholeNumber, type Parser } from '../../contract/parsers.ts'
import { redisUrl } from '../address-parsers.ts'
import type { Config } from '../config.ts'
import { dailyRequests, planLimit, planMegabytes } from '../limit-parsers.ts'
import { planNames, planPresets, type LimitPeriod, type LimitScope, type PlanLimits, type PlanName } from '../plans.ts'
import { nullableText, row, type Variable } from './variable.ts'

const plan: Parser<PlanName> = oneOf<PlanName>(planNames, { off: 'none' })
const period = oneOf<LimitPeriod>(['day', 'month'], { daily: 'day', monthly: 'month' })
const scope = oneOf<LimitScope>(['instance', 'session'], { global: 'instance', client: 'session' })
const KIB = 1024
const MIB = 1024 * KIB

/** The default of a limit: the value of the plan named by `SVC_PLAN`. */
function ofPlan<Limit extends keyof PlanLimits>(limit: Limit): (config: Config) => PlanLimits[Limit] {
  return config => planPresets[config.plan.name][limit]
}

export const BUDGETS: readonly Variable[] = [
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
    name: 'SVC_BUDGET_HTTP2_STREAMS',
    field: 'budgets.http2Streams',
    // Clients open as many before they know the number (RFC 9113, 6.5.2).
    parser: wholeNumber(100, 1_000_000, 'streams'),
    default: config => (config.publicMode ? 100 : 256),
    defaultText: '256; 100 in public mode',
    shownAs: 'budgets.http2_streams',
    description:
      'Streams, gRPC calls included, that one HTTP/2 connection may have open. It is announced: clients wait, or open another connection.',
  }),
  row({
    name: 'SVC_BUDGET_WORK_MS',
    field: 'budgets.workMs',
    parser: wholeNumber(1, 1000, 'milliseconds'),
    default: 20,
    shownAs: 'budgets.work_ms',
    description: 'Milliseconds of work after which a loop over many items lets other requests run.',
  }),
]

export const PLAN_LIMITER: readonly Variable[] = [
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
]

export const SHARED_MODE: readonly Variable[] = [
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
]

/** Where API keys are looked up; null while shared mode is off. */
export function registryKind(config: Config): 'open' | 'file' | 'url' | null {
  if (!config.shared.enabled) return null
  if (config.shared.registry === null) return 'open'
  return /^https?:\/\//i.test(config.shared.registry) ? 'url' : 'file'
}
