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
