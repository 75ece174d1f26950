/**
 * Exports spans in batches over OTLP/HTTP with the official OpenTelemetry packages. `tracer.ts` imports this file only
 * if spans are exported.
 */
import {
  createTraceState,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span,
  type Tracer as OtelTracer,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { atMost } from '../toolkit/sleep.ts'
import type { TraceContext, TraceParent } from './trace-context.ts'
import type { ServerSpan, SpanEnd, SpanStart, Tracer, TracerOptions } from './tracer.ts'

/** How long a stop waits for the collector, in milliseconds. */
const CLOSE_MS = 2_000

export class OtlpTracer implements Tracer {
  readonly #provider: BasicTracerProvider
  readonly #tracer: OtelTracer

  constructor({ version, instanceId, warn }: TracerOptions, url: string) {
    const ignore = (): void => {}
    diag.setLogger(
      { error: warnOf(warn), warn: warnOf(warn), info: ignore, debug: ignore, verbose: ignore },
      { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
    )
    const own = resourceFromAttributes({
      'service.name': 'svc',
      'service.version': version,
      'service.instance.id': instanceId,
    })
    this.#provider = new BasicTracerProvider({
      // The variables of OpenTelemetry for the resource take precedence.
      resource: defaultResource()
        .merge(own)
        .merge(detectResources({ detectors: [envDetector] })),
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
    })
    this.#tracer = this.#provider.getTracer('svc', version)
  }

  start({ name, attributes, parent, startedAt }: SpanStart): ServerSpan {
    const span = this.#tracer.startSpan(
      name,
      { kind: SpanKind.SERVER, attributes, startTime: startedAt },
      parentContext(parent),
    )
    return new OtlpSpan(span, parent)
  }

  async close(): Promise<void> {
    await atMost(
      this.#provider.shutdown().catch(() => {}),
      CLOSE_MS,
    )
  }
}

class OtlpSpan implements ServerSpan {
  readonly trace: TraceContext
  readonly #span: Span

  constructor(span: Span, parent: TraceParent | null) {
    const { traceId, spanId, traceFlags } = span.spanContext()
    this.#span = span
    this.trace = {
      traceId,
      spanId,
      parentSpanId: parent?.spanId ?? null,
      sampled: (traceFlags & TraceFlags.SAMPLED) !== 0,
      state: parent?.state ?? null,
    }
  }

  get isRecording(): boolean {
    return this.#span.isRecording()
  }

  end({ name, attributes, isError, endedAt }: SpanEnd): void {
    this.#span.updateName(name)
    this.#span.setAttributes(attributes)
    if (isError) this.#span.setStatus({ code: SpanStatusCode.ERROR })
    this.#span.end(endedAt)
  }
}

function parentContext(parent: TraceParent | null): Context {
  if (parent === null) return ROOT_CONTEXT
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: parent.traceId,
    spanId: parent.spanId,
    traceFlags: parent.sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
    ...(parent.state === null ? {} : { traceState: createTraceState(parent.state) }),
  })
}

/** The packages pass an error as JSON or as additional arguments. */
function warnOf(warn: (message: string) => void): (message: string, ...more: unknown[]) => void {
  return (message, ...more) =>
    warn(
      `OpenTelemetry: ${[message, ...more.map(item => (item instanceof Error ? item.message : String(item)))].join(' ')}`.slice(
        0,
        500,
      ),
    )
}
