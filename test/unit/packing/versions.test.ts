/** Every place with the version of svc has the same one. */
import t from 'tap'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { VERSION_PLACES, versionIn, withVersion } from '../../../packing/versions.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }

t.test('the clients have the version of package.json, and a release can set another one [CLIENTS-5]', async t => {
  for (const place of VERSION_PLACES) {
    const text = readFileSync(join(ROOT, place.file), 'utf8')
    t.equal(versionIn(text, place), version, place.file)
    const next = withVersion(text, place, '12.3.4-rc.1')
    t.equal(versionIn(next, place), '12.3.4-rc.1', place.file)
    t.equal(withVersion(next, place, version), text, `${place.file}: nothing else changes`)
  }
})

t.test('a place without a version is an error', async t => {
  t.throws(() => versionIn('', VERSION_PLACES[0]!), { message: /has no version/ })
})
