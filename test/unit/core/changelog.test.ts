/** The release script reads and closes the changelog. */
import t from 'tap'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { closeRelease, nextVersion, releaseNotes } from '../../../packing/changelog.ts'

const CHANGELOG = `# Changelog

## [Unreleased]

### Added

- Two.

## [0.1.0] - 2026-01-02

- One.
`

t.test('notes of a version and of unreleased changes [REL-1]', async t => {
  t.equal(releaseNotes(CHANGELOG, 'Unreleased'), '### Added\n\n- Two.')
  t.equal(releaseNotes(CHANGELOG, '0.1.0'), '- One.')
  t.throws(() => releaseNotes(CHANGELOG, '0.2.0'), { message: 'CHANGELOG.md has no section "## [0.2.0]"' })
  t.throws(() => releaseNotes('## [Unreleased]\n\n## [0.1.0]\n- x', 'Unreleased'), { message: /lists nothing below/ })
})

t.test('a release closes "Unreleased" [REL-1]', async t => {
  const closed = closeRelease(CHANGELOG, '0.2.0', '2026-11-23')
  t.match(closed, '## [Unreleased]\n\n## [0.2.0] - 2026-11-23\n\n### Added\n\n- Two.\n\n## [0.1.0]')
  t.throws(() => closeRelease(closed, '0.3.0', '2026-11-24'), { message: /lists nothing below/ }, 'nothing to release')
  t.throws(() => closeRelease(CHANGELOG, '0.1.0', '2026-11-24'), { message: /already has a section/ })
})

t.test('versions [REL-1]', async t => {
  t.equal(nextVersion('1.2.3', 'patch'), '1.2.4')
  t.equal(nextVersion('1.2.3', 'minor'), '1.3.0')
  t.equal(nextVersion('1.2.3-rc.1', 'major'), '2.0.0')
  t.equal(nextVersion('1.2.3', '4.0.0-rc.1'), '4.0.0-rc.1')
  for (const wrong of ['1.2', 'v1.2.3', 'next', ''])
    t.throws(() => nextVersion('1.2.3', wrong), { message: /is not a version/ })
})

t.test('the changelog of this project can be released [REL-1]', async t => {
  t.ok(
    releaseNotes(readFileSync(join(import.meta.dirname, '..', '..', '..', 'CHANGELOG.md'), 'utf8'), 'Unreleased')
      .length > 0,
  )
})
