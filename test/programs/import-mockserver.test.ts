/** MockServer answers the requests of the table as the table says, like what svc imports from the same file. */
import { join } from 'node:path'
import t from 'tap'
import { differences, IMPORT_FIXTURES, send, titleOf } from '../support/imports/imported.ts'
import { MOCKSERVER_CASES } from '../support/imports/mockserver-cases.ts'
import { until } from '../support/until.ts'
import { jarOf } from './support/import-originals.ts'

const file = join(IMPORT_FIXTURES, 'mockserver', 'expectations.json')
const mockserver = jarOf('MockServer', 'org/mock-server/mockserver-netty/5.15.0/mockserver-netty-5.15.0-shaded.jar', [
  `-Dmockserver.initializationJsonPath=${file}`,
  '-Dmockserver.logLevel=WARN',
])
const isMissing = typeof mockserver === 'string'

t.test(isMissing ? 'MockServer' : mockserver.title, { skip: isMissing && mockserver }, async t => {
  if (isMissing) return
  const url = await mockserver.start(t, ['-serverPort', 'PORT'])
  // It listens before it has read the file.
  await until(
    async () => (await send(url, { path: '/case' }))?.status === 200,
    'that MockServer has read its file',
    30_000,
  )
  for (const one of MOCKSERVER_CASES) t.same(differences(one, await send(url, one)), [], titleOf(one))
})
