/** Mockoon answers the requests of the table as the table says, like what svc imports from the same file. */
import { join } from 'node:path'
import t from 'tap'
import { differences, IMPORT_FIXTURES, send, titleOf } from '../support/imports/imported.ts'
import { MOCKOON_CASES } from '../support/imports/mockoon-cases.ts'
import { packageOf } from './support/import-originals.ts'

const mockoon = packageOf('Mockoon', '@mockoon/cli/bin/run.js')
const isMissing = typeof mockoon === 'string'

t.test(isMissing ? 'Mockoon' : mockoon.title, { skip: isMissing && mockoon }, async t => {
  if (isMissing) return
  const file = join(IMPORT_FIXTURES, 'mockoon', 'environment.json')
  const url = await mockoon.start(t, [
    'start',
    '--data',
    file,
    '--port',
    'PORT',
    '--hostname',
    '127.0.0.1',
    '--disable-log-to-file',
    '--disable-admin-api',
  ])
  for (const one of MOCKOON_CASES) t.same(differences(one, await send(url, one)), [], titleOf(one))
})
