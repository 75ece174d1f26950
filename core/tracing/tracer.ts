/** Decides whether spans are exported. Without an endpoint the OpenTelemetry packages are never loaded. */
import { OPENTELEMETRY_PACKAGES, loadFailure } from '../config/optional-packages.ts'
import type { TraceContext, TraceParent } from './trace-context.ts'

type AttributeValue = string | number | boolean | string[] | undefined
export type SpanAttributes = Record<string, AttributeValue>

/** The span of a request that is about to be served. */
export interface SpanStart {
  name: string
  /** The attributes available to samplers. */
  attributes: SpanAttributes
  /** Null if the trace begins here. */
  parent: TraceParent | null
  /** Milliseconds since 1970. */
  startedAt: number
}

export interface SpanEnd {
  name: string
  attributes: SpanAttributes
  isError: boolean
  /** Milliseconds since 1970. */
  endedAt: number
}

export interface ServerSpan {
  readonly trace: TraceContext
  /** False if the sampler dropped the span; nothing is recorded. */
  readonly isRecording: boolean
  end(facts: SpanEnd): void
}

export interface Tracer {
  start(facts: SpanStart): ServerSpan
  /** Exports the remaining spans; resolves after 2 s at the latest. */
  close(): Promise<void>
}

export interface TracerOptions {
  /**
   * Decides whether there is a tracer and where spans are sent. The packages read all other `OTEL_*` variables from the
   * process themselves.
   */
  environment: NodeJS.ProcessEnv
  version: string
  instanceId: string
  warn(message: string): void
}

/** Returns null if spans are not exported. Invalid values give warnings. */
export async function openTracer(options: TracerOptions): Promise<Tracer | null> {
  const { environment, warn } = options
  const endpoint = endpointOf(environment)
  if (endpoint === null) return null
  if (!isHttpUrl(endpoint.url)) {
    warn(`invalid ${endpoint.name} (expected an http:// or https:// URL); spans are not exported`)
    return null
  }
  const protocol =
    valueOf(environment, 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? valueOf(environment, 'OTEL_EXPORTER_OTLP_PROTOCOL')
  if (protocol !== null && protocol !== 'http/json')
    warn(
      `OTEL_EXPORTER_OTLP_PROTOCOL is ${JSON.stringify(protocol)}, which is not supported; spans are sent as http/json`,
    )
  try {
    const { OtlpTracer } = await import('./otlp-tracer.ts')
    return new OtlpTracer(options, endpoint.url)
  } catch (error) {
    warn(`spans are not exported: ${loadFailure(error, OPENTELEMETRY_PACKAGES)}`)
    return null
  }
}

/**
 * The URL for spans and the variable that sets it; null if not set (OpenTelemetry, "OTLP Exporter
 * Configuration").
 */
function endpointOf(environment: NodeJS.ProcessEnv): { name: string; url: string } | null {
  if (valueOf(environment, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return null
  const exporters = valueOf(environment, 'OTEL_TRACES_EXPORTER')
  if (exporters !== null && !exporters.split(',').some(exporter => exporter.trim() === 'otlp')) return null
  const own = valueOf(environment, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  if (own !== null) return { name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', url: own }
  const shared = valueOf(environment, 'OTEL_EXPORTER_OTLP_ENDPOINT')
  return shared === null ? null : { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', url: `${shared.replace(/\/$/, '')}/v1/traces` }
}

/** An empty variable counts as unset (OpenTelemetry, "Environment Variable Specification"). */
function valueOf(environment: NodeJS.ProcessEnv, name: string): string | null {
  return environment[name]?.trim() || null
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}
