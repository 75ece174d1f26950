/** WireMock answers the requests of the table as the table says, like what svc imports from the same files. */
import { join } from 'node:path'
import t from 'tap'
import { differences, IMPORT_FIXTURES, send, titleOf } from '../support/imports/imported.ts'
import { WIREMOCK_CASES } from '../support/imports/wiremock-cases.ts'
import { jarOf } from './support/import-originals.ts'

const wiremock = jarOf('WireMock', 'org/wiremock/wiremock-standalone/3.13.2/wiremock-standalone-3.13.2.jar')
const isMissing = typeof wiremock === 'string'

t.test(isMissing ? 'WireMock' : wiremock.title, { skip: isMissing && wiremock }, async t => {
  if (isMissing) return
  const folder = join(IMPORT_FIXTURES, 'wiremock')
  const url = await wiremock.start(t, [
    '--port',
    'PORT',
    '--root-dir',
    folder,
    '--bind-address',
    '127.0.0.1',
    '--disable-banner',
  ])
  for (const one of WIREMOCK_CASES) t.same(differences(one, await send(url, one)), [], titleOf(one))
})
