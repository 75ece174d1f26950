/**
 * `svc import` of WireMock: stubs answer as the original does (sheet distribution, 5.1).
 * Takes long: every stub is imported and served.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import {
  differences,
  IMPORT_FIXTURES,
  importInto,
  send,
  serveImported,
  titleOf,
} from '../../support/imports/imported.ts'
import { WIREMOCK_CASES } from '../../support/imports/wiremock-cases.ts'
import { serve } from '../../support/server.ts'

t.test('stubs answer as those of WireMock', async t => {
  const imported = await importInto(t, [join(IMPORT_FIXTURES, 'wiremock'), '--closed', '--strict'])
  t.same([imported.code, imported.errors], [0, ''])
  const server = await serveImported(t, imported.folder)
  t.same(server.host.loadErrors, [])
  for (const one of WIREMOCK_CASES) t.same(differences(one, await send(server.url, one)), [], titleOf(one))
})

t.test('what rules cannot express is found with its place, and nothing else is dropped', async t => {
  const folder = join(IMPORT_FIXTURES, 'wiremock-odd')
  const imported = await importInto(t, [folder])
  t.equal(imported.code, 0)
  t.equal(imported.output, 'wiremock: 8 of 21 imported, 12 disabled, 1 changed, 13 lost, 1 skipped\n')
  const { counts, findings } = imported.report()
  t.same(counts.wiremock, { found: 21, imported: 8, disabled: 12, changed: 1, lost: 13, skipped: 1 })
  const at = findings.map(finding => `${finding.severity} ${finding.at.replace(/^mappings/, '')}`)
  t.same(at.slice(2), [
    'disabled [0].request.customMatcher',
    'disabled [1].request.multipartPatterns',
    'disabled [2].request.port',
    'disabled [3].request.bodyPatterns[0].equalToXml',
    'disabled [3].request.bodyPatterns[1].matchesXPath',
    'disabled [4].request.headers.X-Date.before',
    'disabled [5].request.bodyPatterns[0].equalToJson',
    'disabled [6].request.bodyPatterns[0].matchesJsonPath',
    'disabled [7].request.urlPattern',
    'disabled [8].request.headers.X-A.matches',
    'disabled [9].request.unheard',
    'skipped [10]',
    'disabled [11].request.method.unknown',
    'disabled [12].request.queryParameters.m.equalToNumber',
    'lost [13].response.fault',
    'lost [13].response.headers.X-A',
    'lost [13].response.headers.Clear-Site-Data',
    'lost [13].response.status',
    'lost [14].response.transformers',
    'lost [14].response.body',
    'lost [14].response.unheard',
    'lost [15].response.body',
    'lost [16].response.bodyFileName',
    'lost [17].response.bodyFileName',
    'changed [18].response.delayDistribution.maxValue',
    'lost [19].response.proxyBaseUrl',
    'lost [20].postServeActions.counter',
    'lost [20].unheard',
  ])
  t.match(findings[0], { file: 'mappings/broken.json', line: 3, column: 3, severity: 'skipped', message: /^not JSON/ })
  t.match(findings[1], { file: 'mappings/unknown.json', line: 1, column: 1, severity: 'skipped' })
  const text = readFileSync(join(folder, 'mappings', 'odd.json'), 'utf8').split('\n')
  const custom = findings.find(({ feature }) => feature === 'customMatcher')!
  t.match(text[custom.line - 1]?.slice(custom.column - 1), /^"customMatcher"/, 'the place is that of the member')
  t.match(
    imported.errors,
    /mappings\/odd\.json:\d+:\d+: disabled: mappings\[7\]\.request\.urlPattern: [^\n]*look-around at character 3/,
  )
  const server = await serveImported(t, imported.folder)
  t.same(server.host.loadErrors, [], 'also rules that are not enabled can be loaded')
  t.equal((await importInto(t, [folder, '--strict'])).code, 1)
})

t.test('stubs that forward and send webhooks', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-wiremock-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const target = await serve(t, { plugins: ['echo', 'bins'], oneProcess: 'the target of an upstream' })
  const forward = {
    name: 'forward',
    request: { urlPathPattern: '/old/.*' },
    response: {
      proxyBaseUrl: target.url,
      proxyUrlPrefixToRemove: '/old',
      additionalProxyRequestHeaders: { 'X-Added': 'yes' },
      removeProxyRequestHeaders: ['X-Gone'],
    },
  }
  const hook = {
    name: 'webhook',
    parameters: {
      method: 'POST',
      url: `${target.url}/echo/hook`,
      headers: { 'X-Path': '{{originalRequest.path}}' },
      body: 'sent',
    },
  }
  const notify = {
    name: 'notify',
    request: { urlPath: '/notify' },
    response: { body: 'ok' },
    serveEventListeners: [hook],
    postServeActions: [hook],
  }
  writeFileSync(join(folder, 'one.json'), JSON.stringify({ mappings: [forward, notify] }))
  const imported = await importInto(t, [join(folder, 'one.json'), '--strict'])
  t.same([imported.code, imported.errors], [0, ''])
  const server = await serveImported(t, imported.folder)
  t.same(server.host.loadErrors, [])
  const answer = await send(server.url, { path: '/old/echo/a', headers: { 'X-Gone': '1' } })
  t.match(JSON.parse(answer!.body), { path: '/echo/a', headers: { 'x-added': ['yes'] } })
  t.notMatch(answer!.body.toLowerCase(), 'x-gone')
  t.match(await send(server.url, { path: '/notify' }), { status: 200, body: 'ok' })
  const [request] = await target.waitFor({ path: '/echo/hook' }, 1)
  t.match(request, { method: 'POST', body: 'sent' })
})
