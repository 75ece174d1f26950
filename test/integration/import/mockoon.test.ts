/** `svc import` of Mockoon: routes answer as the original does (sheet distribution, 5.3). */
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
import { MOCKOON_CASES } from '../../support/imports/mockoon-cases.ts'

t.test('routes answer as those of Mockoon', async t => {
  const imported = await importInto(t, [join(IMPORT_FIXTURES, 'mockoon'), '--closed', '--strict'])
  t.match(imported, {
    code: 0,
    errors: /^environment\.json:\d+:\d+: changed: routes: paths are compared with their case[^\n]+\n$/,
  })
  const server = await serveImported(t, imported.folder)
  t.same(server.host.loadErrors, [])
  for (const one of MOCKOON_CASES) t.same(differences(one, await send(server.url, one)), [], titleOf(one))
})

t.test('what rules cannot express is found', async t => {
  const imported = await importInto(t, [join(IMPORT_FIXTURES, 'mockoon-odd')])
  t.equal(imported.code, 0)
  t.same(
    imported.report().findings.map(finding => `${finding.severity} ${finding.at}`),
    [
      'skipped routes[0].type',
      'skipped routes[1].type',
      'skipped routes[2].streamingMode',
      'disabled routes[3].responses[1].rules[0].target',
      'disabled routes[4].responses[1].rules[0].target',
      'disabled routes[5].responses[1].rules[0].target',
      'disabled routes[6].responses[1].rules[0].operator',
      'disabled routes[7].responses[1].rules[0].target',
      'disabled routes[8].responses[1].rules[0].modifier',
      'disabled routes[9].responses[1].rules[0].value',
      'disabled routes[10].responses[1].rules[0].value',
      'lost routes[11].responses[0].body',
      'lost routes[12].responses[0].body',
      'lost routes[13].responses[0].filePath',
      'lost routes[14].responses[0].databucketID',
      'lost routes[15].responses[0].statusCode',
      'lost routes[15].responses[0].callbacks[0]',
      'lost routes[15].responses[0].unheard',
      'disabled routes[16].responses[1].rules[0].value',
      'changed routes',
      'lost proxyResHeaders',
      'lost unheard',
    ],
  )
  t.match(
    imported.read('svc.yaml'),
    /notify:\n {2}allow:\n {4}- 127\.0\.0\.1:9\n[^]*target: http:\/\/127\.0\.0\.1:9\/base/,
  )
  t.match(imported.read('rules/odd.yaml'), /notify:[^]*method: PUT[^]*delay: 10[^]*priority: -998[^]*set_headers/)
  const server = await serveImported(t, imported.folder)
  t.same(server.host.loadErrors, [])
})
