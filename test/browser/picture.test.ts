/** The picture of the console in the README: the script that takes it works, and its requests get the expected statuses. */
import t from 'tap'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXPECTED } from './images/requests.ts'
import { takePicture } from './images/take.ts'
import { findChromium, skipWithoutBrowser } from './support/browser.ts'
import { root } from '../support/examples.ts'

t.test('the picture of the README can be taken [CON-43]', { skip: skipWithoutBrowser }, async t => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-picture-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'console.png')
  t.strictSame(await takePicture(findChromium()!, path), EXPECTED)
  t.ok(readFileSync(path).length > 50_000, 'it is more than an empty page')
  t.ok(existsSync(join(root, 'docs/images/console.png')), 'the README has one')
})
