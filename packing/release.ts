/**
 * Creates a release: builds and packs, tests the tarball in an empty folder, sets the version of the clients, updates the
 * changelog, commits and tags.
 *
 *     npm run release -- <version | major | minor | patch> [--out <folder>]
 *     npm run release -- --check [--out <folder>]
 *
 * `--check` packs and tests the current version without changing anything. The tarball, the bill of
 * materials, `notes.md`, `SHA256SUMS` and the pages of the probe's checks are written to the folder `--out` (default:
 * `release`). The version is also set in the files of `versions.ts`. Nothing is pushed or published; pushing the tag publishes the release.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { closeRelease, nextVersion, releaseNotes } from './changelog.ts'
import { writeChecksums } from './checksums.ts'
import { tryTarball } from './try-tarball.ts'
import { VERSIONED, withVersion } from './versions.ts'

const ROOT = join(import.meta.dirname, '..')
const CHANGED = ['package.json', 'package-lock.json', 'CHANGELOG.md', ...VERSIONED.map(({ path }) => path)]

const run = (command: string, ...args: string[]): string =>
  execFileSync(command, args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const currentVersion = (): string => (JSON.parse(read('package.json')) as { version: string }).version

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: 'boolean' }, out: { type: 'string' } },
})
const out = resolve(ROOT, values.out ?? 'release')

try {
  if (values.check === true) await packAndTry(notesOf(currentVersion()))
  else await release(positionals)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}

async function release([wanted, ...rest]: string[]): Promise<void> {
  if (wanted === undefined || rest.length > 0)
    throw new Error('expected one version: npm run release -- <version | major | minor | patch>')
  if (run('git', 'status', '--porcelain') !== '') throw new Error('the working tree has uncommitted changes')
  const version = nextVersion(currentVersion(), wanted)
  const changelog = closeRelease(read('CHANGELOG.md'), version, new Date().toISOString().slice(0, 10))
  try {
    run('npm', 'version', version, '--no-git-tag-version', '--ignore-scripts')
    writeFileSync(join(ROOT, 'CHANGELOG.md'), changelog)
    for (const file of VERSIONED) writeFileSync(join(ROOT, file.path), withVersion(read(file.path), file, version))
    await packAndTry(releaseNotes(changelog, version))
  } catch (error) {
    run('git', 'checkout', '--', ...CHANGED)
    throw error
  }
  run('git', 'commit', '--message', `Release ${version}`, ...CHANGED)
  // Modules in a folder are versioned by tags that begin with it (Go Modules Reference, "Mapping versions to commits").
  for (const tag of [`v${version}`, `clients/go/v${version}`])
    run('git', 'tag', '--annotate', tag, '--message', `Release ${version}`)
  process.stdout.write(`tagged v${version}; publish it with: git push --follow-tags\n`)
}

/** The notes of a version, or of "Unreleased" if the version is not released yet. */
function notesOf(version: string): string {
  const changelog = read('CHANGELOG.md')
  return releaseNotes(changelog, changelog.includes(`## [${version}]`) ? version : 'Unreleased')
}

async function packAndTry(notes: string): Promise<void> {
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  run('npm', 'run', '--silent', 'build')
  const tarball = join(
    out,
    run('npm', 'pack', './dist/package', '--silent', '--pack-destination', out).split('\n').at(-1)!,
  )
  for (const line of await tryTarball(tarball)) process.stdout.write(`ok: ${line}\n`)
  cpSync(join(ROOT, 'dist', 'package', 'sbom.cdx.json'), join(out, 'sbom.cdx.json'))
  writeFileSync(join(out, 'notes.md'), `${notes}\n`)
  writeChecksums(out)
  run('npm', 'run', '--silent', 'docs:probe', '--', '--out', join(out, 'probe'))
  process.stdout.write(`${tarball}\n`)
}
