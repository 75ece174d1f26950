/** MockServer answers the requests of the table as the table says, like what svc imports from the same file. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { differences, IMPORT_FIXTURES, send, titleOf } from '../support/imports/imported.ts'
import { MOCKSERVER_9_CASES, MOCKSERVER_CASES } from '../support/imports/mockserver-cases.ts'
import { until } from '../support/until.ts'
import { jarOf, jarsOf } from './support/import-originals.ts'

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

const expectations = join(IMPORT_FIXTURES, 'mockserver-9')
const newer = jarsOf('MockServer_9', 'mockserver-netty', 'org.mockserver.cli.Main', [
  `-Dmockserver.initializationJsonPath=${join(expectations, 'expectations.json')}`,
  '-Dmockserver.logLevel=WARN',
])
const hasNewer = typeof newer !== 'string'

t.test(hasNewer ? newer.title : 'MockServer 9', { skip: !hasNewer && newer }, async t => {
  if (!hasNewer) return
  // Bodies in files are relative to the folder in which it runs, where it also writes its certificate.
  const folder = mkdtempSync(join(tmpdir(), 'svc-mockserver-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(expectations, folder, { recursive: true })
  const url = await newer.start(t, ['-serverPort', 'PORT'], folder)
  await until(
    async () => (await send(url, { path: '/xml' }))?.status === 200,
    'that MockServer has read its file',
    30_000,
  )
  for (const one of MOCKSERVER_9_CASES) t.same(differences(one, await send(url, one)), [], titleOf(one))
})
