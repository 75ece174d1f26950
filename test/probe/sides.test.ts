/** Evidence in HTTP/2 is shown as fields and content, in each form of the report. Runs alone: it measures times. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t, { type Test } from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { htmlReport } from '../../plugins/probe/report/html-report.ts'
import { junitReport } from '../../plugins/probe/report/junit-report.ts'
import { markdownReport } from '../../plugins/probe/report/markdown-report.ts'
import type { Http2Side } from '../../plugins/probe/report/http2-sides.ts'
import type { Report, ReportedResult } from '../../plugins/probe/report/report.ts'
import { differingLines, textOf } from '../../plugins/probe/report/side-lines.ts'
import type { Side } from '../../plugins/probe/report/sides.ts'
import { terminalReport } from '../../plugins/probe/report/terminal-report.ts'
import { startHttp2Proxy, type Http2Fault } from './proxies/http2-proxy.ts'
import { checksNamed, probeThrough, reportOf } from './probe-through.ts'

const validate = new Ajv2020({ strict: false, allErrors: true }).compile(
  JSON.parse(readFileSync('plugins/probe/report.schema.json', 'utf8')) as object,
)

async function reportThrough(test: Test, http2: Http2Fault, ids: readonly string[]): Promise<Report> {
  const server = await launch({ plugins: ['probe'] })
  test.teardown(() => server.stop())
  const proxy = await startHttp2Proxy(server.ports, {}, http2)
  test.teardown(() => proxy.close())
  const checks = checksNamed(ids)
  const report = reportOf(await probeThrough(proxy.url, server.url, { checks, isHttp2: true, isHostile: true }))
  test.ok(validate(report), JSON.stringify(validate.errors))
  return report
}

function resultOf({ results }: Report, id: string): ReportedResult {
  return results.find(one => one.id === id && one.protocol === '2')!
}

function http2(side: Side | null | undefined): Http2Side {
  if (side === null || side === undefined || 'bytes' in side) throw new Error('not a side in HTTP/2')
  return side
}

t.test('a side in HTTP/2 has fields and data, one in HTTP/1.1 has bytes [PRB-26]', async t => {
  const report = await reportThrough(t, {}, ['FRM-BODY', 'RSP-103', 'RSP-TRUNC', 'HDR-VIA'])
  const [exchange] = resultOf(report, 'HDR-VIA').exchanges
  const sent = http2(exchange!.sent)
  t.strictSame(
    sent.fields.slice(0, 3).map(([name]) => name),
    [':method', ':scheme', ':authority'],
  )
  t.match(exchange!.arrived[0], { bytes: /^GET .* HTTP\/1\.1\r\n/ })
  t.match(exchange!.answered, { bytes: /^HTTP\/1\.1 200/, connection: exchange!.arrived[0]!.connection })
  const back = http2(exchange!.came_back)
  t.match(back, { fields: [[':status', '200']], size: back.data.length, truncated: false })
  t.match(back.data, /^probe \d+/)
  t.equal(
    back.chunks.reduce((sum, { size }) => sum + size, 0),
    back.size,
  )
  const http1 = report.results.find(({ id, protocol }) => id === 'HDR-VIA' && protocol === '1.1')!.exchanges[0]!
  t.ok([http1.sent, ...http1.arrived, http1.answered, http1.came_back].every(side => side !== null && 'bytes' in side))

  const interim = resultOf(report, 'RSP-103').exchanges.flatMap(({ came_back: side }) => http2(side).interims ?? [])
  t.match(interim[0], [[':status', '103']])
  const broken = resultOf(report, 'RSP-TRUNC').exchanges.map(({ came_back: side }) => http2(side).error)
  t.ok(broken.includes('INTERNAL_ERROR'), broken.join())
  const bodies = resultOf(report, 'FRM-BODY').exchanges.map(one => http2(one.sent))
  const large = bodies.find(({ size }) => size > 8_192)!
  t.equal(large.truncated, true)
  t.equal(large.data.length + large.fields.flat().join('').length, 8_192)
})

t.test('calls of gRPC show trailers and what the upstream answered in HTTP/2 [PRB-26]', async t => {
  const report = await reportThrough(
    t,
    {
      upstreamHttp2: true,
      trailers: fields => fields.map(([name, value]) => [name, name === 'grpc-status' && value === '5' ? '14' : value]),
    },
    ['GRPC-STATUS'],
  )
  const result = resultOf(report, 'GRPC-STATUS')
  t.equal(result.verdict, 'fail')
  const exchange = result.exchanges.find(
    ({ answered }) =>
      http2(answered).trailers?.some(([name, value]) => name === 'grpc-status' && value === '5') === true,
  )!
  t.match(http2(exchange.arrived[0]), { fields: [[':method', 'POST']], ended: 'kept' })
  const answered = http2(exchange.answered)
  const back = http2(exchange.came_back)
  t.match(answered.fields, [[':status', '200']])
  t.equal(back.trailers?.find(([name]) => name === 'grpc-status')?.[1], '14')
  t.equal(back.data, answered.data)
  t.equal(back.size, answered.size)
  const html = htmlReport(report)
  t.match(html, '<del>grpc-status: 5</del>')
  t.match(html, '<ins>grpc-status: 14</ins>')
  t.match(junitReport(report, ['fail']), 'Answered:\n  :status: 200\n')
  for (const shown of [terminalReport(report, ['fail']), markdownReport(report)])
    t.match(shown, /GRPC-STATUS:? .*\(HTTP\/2\)/)
  t.match(markdownReport(report), /Arrived:\n\n```text\n:method: POST\n/)
})

t.test('a stream that the gateway resets shows its error code at the upstream [PRB-26]', async t => {
  const report = await reportThrough(t, { upstreamHttp2: true }, ['GRPC-DEADLINE', 'CON-H2-GOAWAY'])
  const result = resultOf(report, 'GRPC-DEADLINE')
  t.equal(result.verdict, 'pass')
  t.strictSame(result.values.resets, { deadline: 'CANCEL', cancel: 'CANCEL' })
  const [deadline, cancel, later] = result.exchanges
  for (const exchange of [deadline, cancel]) {
    t.equal(http2(exchange!.sent).error, 'CANCEL', 'the client left')
    t.equal(http2(exchange!.arrived[0]).error, 'CANCEL')
    t.equal(differingLines(exchange!.arrived[0]!, exchange!.sent).at(-1), false, 'so it is not marked')
  }
  t.equal(http2(later!.arrived[0]).error, undefined)
  const ended = resultOf(report, 'CON-H2-GOAWAY').exchanges.flatMap(({ arrived }) => arrived.map(http2))
  t.ok(ended.length > 2)
  t.ok(
    ended.every(({ error }) => error === undefined),
    'what the upstream itself ended is not a reset by the gateway',
  )
})

/** A gateway that takes HTTP/1.1 and speaks HTTP/2 with the upstream, trailers included. */
async function startTranslator(test: Test, grpcPort: number, passesTrailers: boolean): Promise<string> {
  const session = connectHttp2(`http://127.0.0.1:${grpcPort}`)
  // A strict parser rejects a request with a trailer that only a head may have.
  const server = createServer({ insecureHTTPParser: true }, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const {
      host,
      connection: _connection,
      'transfer-encoding': _coding,
      trailer: _trailer,
      ...fields
    } = request.headers
    const stream = session.request(
      { ':method': request.method, ':path': request.url, ':authority': host, ...fields },
      { endStream: false, waitForTrailers: true },
    )
    stream.on('wantTrailers', () =>
      stream.sendTrailers(passesTrailers ? { 'x-probe-trailer': request.trailers['x-probe-trailer'] } : {}),
    )
    stream.on('response', headers => response.writeHead(headers[':status']!, { 'content-type': 'text/plain' }))
    stream.pipe(response)
    stream.end(Buffer.concat(chunks))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  test.teardown(() => {
    session.destroy()
    server.closeAllConnections()
    return new Promise(resolve => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

t.test('trailers of a request that arrive in HTTP/2 are seen [PRB-26]', async t => {
  const server = await launch({ plugins: ['probe'] })
  t.teardown(() => server.stop())
  for (const [passes, summary] of [
    [true, 'forwarded as trailers: X-Probe-Trailer'],
    [false, 'dropped'],
  ] as const) {
    const url = await startTranslator(t, server.ports.grpc!, passes)
    const checks = checksNamed(['FRM-TRAILER'])
    const report = reportOf(await probeThrough(url, server.url, { checks, isHostile: true }))
    t.ok(validate(report), JSON.stringify(validate.errors))
    const [result] = report.results
    t.match(result, { verdict: 'note', summary })
    const arrived = http2(result!.exchanges[0]!.arrived[0])
    t.strictSame(arrived.trailers, passes ? [['x-probe-trailer', '1']] : undefined)
    if (passes) t.match(htmlReport(asFinding(report)), 'x-probe-trailer: 1')
  }
})

/** Only findings show their sides in HTML. */
function asFinding(report: Report): Report {
  return { ...report, results: report.results.map(result => ({ ...result, verdict: 'warn' as const })) }
}

t.test('of malformed frames, the frames that came back are shown [PRB-26]', async t => {
  const report = await reportThrough(t, {}, ['FRM-H2-BAD'])
  const { exchanges } = resultOf(report, 'FRM-H2-BAD')
  const injected = exchanges.find(({ sent }) => http2(sent).fields.some(([, value]) => value.includes('\r\n')))!
  t.ok(injected, 'a field is shown as it was sent')
  const backs = exchanges.map(({ came_back: side }) => http2(side))
  t.ok(backs.every(({ fields, data }) => fields.length === 0 && data === ''))
  t.strictSame(http2(injected.came_back).frames, undefined, 'the connection is closed at once')
  t.equal(http2(injected.came_back).ended, 'fin')
  t.strictSame(backs.at(-1)!.frames, ['SETTINGS', 'SETTINGS', 'RST_STREAM stream 1 PROTOCOL_ERROR'])
  t.equal(backs.at(-1)!.error, 'PROTOCOL_ERROR')
})

t.test('between versions of HTTP only what was changed is marked [PRB-26]', t => {
  const facts = { size: 2, truncated: false, connection: 1, chunks: [], ended: null }
  const sent: Side = {
    ...facts,
    fields: [
      [':method', 'POST'],
      [':scheme', 'http'],
      [':authority', 'gw:80'],
      [':path', '/a'],
      ['x-kept', 'a'],
      ['x-gone', 'b'],
    ],
    data: 'ok',
  }
  const arrived: Side = {
    ...facts,
    bytes: 'POST /a HTTP/1.1\r\nHost: gw:80\r\nX-Kept: a\r\nConnection: keep-alive\r\nVia: 2 gw\r\n\r\nok',
  }
  const marked = (side: Side, other: Side): string[] =>
    textOf(side)
      .split(/\r?\n/)
      .filter((_, index) => differingLines(side, other)[index])
  t.strictSame(marked(sent, arrived), ['x-gone: b'])
  t.strictSame(marked(arrived, sent), ['Via: 2 gw'])
  t.strictSame(marked(arrived, { ...facts, bytes: `${arrived.bytes.replace('X-Kept', 'x-kept')}` }), ['X-Kept: a'])
  t.strictSame(marked(sent, { ...sent, data: 'no', trailers: [['x-gone', 'c']] }), ['ok'])
  t.end()
})
