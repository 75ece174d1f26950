/** A collector for tests: accepts OTLP/HTTP in JSON and keeps the spans. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Test {
  teardown(callback: () => unknown): unknown
}
interface Value {
  stringValue?: string
  intValue?: number | string
  doubleValue?: number
  boolValue?: boolean
  arrayValue?: { values: Value[] }
}
interface KeyValue {
  key: string
  value: Value
}
interface WireSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  traceState?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  status: { code?: number }
  attributes: KeyValue[]
}
interface Export {
  resourceSpans: {
    resource: { attributes: KeyValue[] }
    scopeSpans: { scope: { name: string }; spans: WireSpan[] }[]
  }[]
}

export interface CollectedSpan extends Omit<WireSpan, 'attributes'> {
  attributes: Record<string, unknown>
  resource: Record<string, unknown>
}

export interface Collector {
  url: string
  spans: CollectedSpan[]
  /** Headers and paths of the exports. */
  exports: { path: string; headers: IncomingHttpHeaders }[]
  span(name: string): CollectedSpan | undefined
}

export async function startCollector(t: Test): Promise<Collector> {
  const spans: CollectedSpan[] = []
  const exports: Collector['exports'] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request
      .on('data', chunk => chunks.push(chunk))
      .on('end', () => {
        exports.push({ path: request.url!, headers: request.headers })
        const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as Export
        for (const { resource, scopeSpans } of resourceSpans) {
          for (const span of scopeSpans.flatMap(scope => scope.spans))
            spans.push({ ...span, attributes: toRecord(span.attributes), resource: toRecord(resource.attributes) })
        }
        response.setHeader('Content-Type', 'application/json').end('{}')
      })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    return new Promise(resolve => server.close(resolve))
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    exports,
    span: name => spans.find(span => span.name === name),
  }
}

function toRecord(attributes: KeyValue[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]))
}

function plain(value: Value): unknown {
  const [kind, content] = Object.entries(value)[0]!
  if (kind === 'arrayValue') return value.arrayValue!.values.map(plain)
  return kind === 'intValue' ? Number(content) : content
}
