/**
 * What a report says of settings of svc, of several findings with one cause, and of skipped checks. Runs alone: it measures
 * times.
 */
import t, { type Test } from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { maskedConfiguration } from '../../plugins/probe/report/masking.ts'
import { countFindings, findingsOf } from '../../plugins/probe/report/findings.ts'
import { htmlReport } from '../../plugins/probe/report/html-report.ts'
import { markdownReport } from '../../plugins/probe/report/markdown-report.ts'
import type { Report, ReportedResult } from '../../plugins/probe/report/report.ts'
import { skipReasons, skipText } from '../../plugins/probe/report/skip-reasons.ts'
import { terminalReport } from '../../plugins/probe/report/terminal-report.ts'
import { startProxy, type Fault } from './proxies/reference-proxy.ts'
import { checksNamed, probeThrough, reportOf } from './probe-through.ts'

const OWN_URLS = ['MCP-AUTH', 'A2A-CARD', 'OAU-ISSUER']
const PLUGINS = ['probe', 'mcp', 'a2a', 'identity']

async function reportThrough(
  t: Test,
  fault: Fault,
  {
    ids = OWN_URLS,
    env = {},
    plugins = PLUGINS,
  }: { ids?: string[]; env?: Record<string, string>; plugins?: string[] } = {},
): Promise<Report> {
  const server = await launch({ plugins, env })
  t.teardown(() => server.stop())
  const proxy = await startProxy(server.ports.http!, fault)
  t.teardown(() => proxy.close())
  return reportOf(await probeThrough(proxy.url, server.url, { checks: checksNamed(ids) }))
}

function reasonsOf({ results }: Report): (string | null)[] {
  return results.map(({ reason }) => reason)
}

/** Sends the name of the upstream as Host. */
const changesHost: Fault = {
  request(head) {
    for (const field of head.fields) if (field[0].toLowerCase() === 'host') field[1] = 'upstream.internal:8080'
  },
}
/** The same, and says in X-Forwarded-Host what the client sent. */
const forwardsHost: Fault = {
  request(head) {
    const host = head.fields.find(([name]) => name.toLowerCase() === 'host')!
    head.fields.push(['X-Forwarded-Host', host[1]])
    host[1] = 'upstream.internal:8080'
  },
}

t.test('a host that the gateway changes is one finding with one remedy [PRB-30]', async t => {
  const report = await reportThrough(t, changesHost)
  t.strictSame(
    report.results.map(({ id, verdict, cause }) => [id, verdict, cause]),
    OWN_URLS.map(id => [id, 'warn', 'host']),
  )
  t.equal(findingsOf(report.results).length, 1)
  t.equal(countFindings(report.results), 1)
  const text = terminalReport(report, ['warn'])
  t.match(text, /^warn {2}MCP-AUTH, A2A-CARD, OAU-ISSUER {2}The gateway does not forward the host that clients use$/m)
  for (const shown of [text, htmlReport(report), markdownReport(report)])
    t.equal(shown.split('ProxyPreserveHost').length, 2, 'the remedy is there once')
  t.match(htmlReport(report), /<h2 id="findings-title">[^]*<ul><li><a href="#MCP-AUTH">[^]*<a href="#OAU-ISSUER">/)
})

t.test('what svc says without the gateway too comes from its own settings [PRB-30]', async t => {
  const ofPath = await reportThrough(t, {}, { env: { SVC_BASE_PATH: '/elsewhere' }, ids: ['OAU-ISSUER', 'MCP-AUTH'] })
  for (const reason of reasonsOf(ofPath)) t.match(reason, /^svc's own settings: without the gateway too, .*\/elsewhere/)
  const both = await reportThrough(t, changesHost, { env: { SVC_BASE_PATH: '/elsewhere' }, ids: ['OAU-ISSUER'] })
  t.match(both.results[0], { verdict: 'warn', cause: 'host' }, 'which does not hide what the gateway does')
  const off = await reportThrough(t, {}, { plugins: ['probe'] })
  t.strictSame(
    reasonsOf(off),
    [404, 404, 404].map(status => `svc itself answers ${status}: is the plugin enabled?`),
  )
})

t.test('a gateway that sends X-Forwarded-Host is not blamed for an svc that does not use it [PRB-30]', async t => {
  const untrusted = await reportThrough(t, forwardsHost)
  for (const reason of reasonsOf(untrusted)) t.match(reason, /^svc's own settings: .*SVC_TRUST_FORWARD=true/)
  const trusted = await reportThrough(t, forwardsHost, { env: { SVC_TRUST_FORWARD: 'true' } })
  t.strictSame(
    trusted.results.map(({ verdict }) => verdict),
    ['pass', 'pass', 'pass'],
  )
})

t.test('the terminal report says why checks were skipped, and what to change [PRB-31]', async t => {
  const report = await reportThrough(
    t,
    {
      request(head) {
        head.line = head.line.replace('HTTP/1.1', 'HTTP/1.0')
        head.fields.push(['Connection', 'keep-alive'])
      },
    },
    {
      ids: ['FRM-CLTE', 'FRM-LF', 'FRM-HOST', 'CON-H2-STREAMS', 'RSP-103', 'STR-SSE-BYTES', 'HDR-VIA', 'TLS-UPSTREAM'],
    },
  )
  const text = terminalReport(report, ['fail'])
  t.match(
    text.slice(text.indexOf('Skipped: ')),
    new RegExp(
      [
        String.raw`^Skipped: 7 of 8 results`,
        String.raw`  3 checks send malformed messages \(framing\): add --hostile`,
        String.raw`  2 checks need HTTP/1\.1 to the upstream \(responses, streaming\): nginx: proxy_http_version 1\.1;`,
        String.raw`  1 check needs HTTP/2 from the client \(connections\): add --h2, or probe the https: address`,
        String.raw`  1 check needs routes of its own \(trust\): name them in the file of --routes`,
        '',
      ].join('\n'),
    ),
  )
  t.match(markdownReport(report), /## Skipped\n\n- 3 checks send malformed messages/)
  t.match(htmlReport(report), '<h2 id="skipped-title">Skipped</h2>')
})

t.test('of groups that are not routed, the paths are named; other reasons are shown as they are [PRB-31]', t => {
  const skipped = (group: string, reason: string) => ({ group, reason, verdict: 'skip' }) as ReportedResult
  t.strictSame(
    skipReasons([
      skipped('llm', 'not forwarded: 403'),
      skipped('mcp', 'not routed: 404'),
      skipped('llm', 'not routed: 405'),
    ]).map(skipText),
    [
      '2 checks are not routed (mcp, llm): route /mcp, /ai/openai/v1 to svc, or say in the file of --routes where they are',
      '1 check is skipped: not forwarded: 403 (llm)',
    ],
  )
  t.end()
})

t.test('secrets of configuration files are masked by their names [PRB-7]', t => {
  const cases: [line: string, masked: string][] = [
    ['api_key: sk-0123456789', 'api_key: ***'],
    ['  "clientSecret": "0123456789abc",', '  "clientSecret": "***",'],
    ['proxy_set_header Authorization "Bearer 0123456789";', 'proxy_set_header Authorization "***'],
    ['upstream https://user:password1@host.example/', 'upstream https://***@host.example/'],
    ['proxy_pass http://up/?access_token=0123456789&a=1;', 'proxy_pass http://up/?access_token=***'],
    ['ssl_certificate_key /etc/ssl/gateway.key;', 'ssl_certificate_key /etc/ssl/gateway.key;'],
    ['keepalive_timeout 65 and more of it;', 'keepalive_timeout 65 and more of it;'],
    ['pwd = 0123456789', 'pwd = ***'],
    ['tokenizer: a-well-known-one', 'tokenizer: a-well-known-one'],
    ['cache_key: $request_uri-and-more', 'cache_key: $request_uri-and-more'],
    ['max_tokens: 4096000000', 'max_tokens: 4096000000'],
    ['secret: |\n  line one\n  line two\nname: gateway', 'secret: |\n  ***\n  ***\nname: gateway'],
    [
      '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIA==\n-----END EC PRIVATE KEY-----\nlisten 80;',
      '-----BEGIN EC PRIVATE KEY-----\n***\n-----END EC PRIVATE KEY-----\nlisten 80;',
    ],
  ]
  for (const [line, masked] of cases) t.equal(maskedConfiguration(line), masked, line)
  t.end()
})
