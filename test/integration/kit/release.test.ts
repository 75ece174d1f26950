/** What a release consists of: one version everywhere, checksums, and the workflow that publishes it. */
import t from 'tap'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseDocument } from 'yaml'
import { CHECKSUMS, writeChecksums } from '../../../packing/checksums.ts'
import { VERSIONED, withVersion } from '../../../packing/versions.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const manifest = JSON.parse(read('package.json')) as { version: string; scripts: Record<string, string> }

t.test('all places have the version of the package, and a release changes all [RELEASE-1] [CLIENTS-5]', t => {
  for (const file of VERSIONED) {
    const text = read(file.path)
    for (const pattern of file.patterns)
      t.equal(pattern.exec(text)?.[1], manifest.version, `${file.path}: ${pattern.source}`)
    const changed = withVersion(text, file, '9.8.7-rc.1')
    for (const pattern of file.patterns) t.equal(pattern.exec(changed)?.[1], '9.8.7-rc.1')
    t.equal(withVersion(changed, file, manifest.version), text, 'nothing else changes')
    t.throws(() => withVersion('', file, '1.0.0'), { message: /has no version that matches/ })
  }
  t.end()
})

t.test('checksums are those that sha256sum checks [RELEASE-2]', t => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-checksums-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['b.tgz', 'a.json']) writeFileSync(join(folder, name), name)
  writeChecksums(folder)
  writeChecksums(folder)
  const text = readFileSync(join(folder, CHECKSUMS), 'utf8')
  t.match(text, /^[0-9a-f]{64} {2}a\.json\n[0-9a-f]{64} {2}b\.tgz\n$/, 'by name, without itself')
  t.match(
    execFileSync('sha256sum', ['--check', '--strict', CHECKSUMS], { cwd: folder, encoding: 'utf8' }),
    /a\.json: OK\nb\.tgz: OK/,
  )
  writeFileSync(join(folder, 'a.json'), 'other')
  t.throws(() => execFileSync('sha256sum', ['--check', CHECKSUMS], { cwd: folder, stdio: 'ignore' }))
  t.end()
})

interface Workflow {
  permissions: Record<string, string>
  jobs: Record<
    string,
    { permissions: Record<string, string>; needs?: string | string[]; steps: { uses?: string; run?: string }[] }
  >
}

t.test('the release workflow has pinned actions, rights for each job, and scripts that exist [RELEASE-3]', t => {
  const document = parseDocument(read('.github/workflows/release.yml'), { strict: true, uniqueKeys: true })
  t.strictSame(document.errors, [])
  const { permissions, jobs } = document.toJS() as Workflow
  t.strictSame(permissions, {}, 'no rights but those of the jobs')
  t.strictSame(Object.fromEntries(Object.entries(jobs).map(([name, job]) => [name, job.permissions])), {
    test: { contents: 'read' },
    package: { contents: 'read', 'id-token': 'write' },
    image: { contents: 'read', packages: 'write', 'id-token': 'write' },
    chart: { contents: 'read', packages: 'write' },
    executable: { contents: 'read' },
    clients: { contents: 'read' },
    release: { contents: 'write', 'id-token': 'write', attestations: 'write' },
  })
  for (const [name, { needs = [], steps }] of Object.entries(jobs)) {
    for (const needed of [needs].flat()) t.ok(needed in jobs, `${name} needs ${needed}`)
    if (name !== 'test') t.ok([needs].flat().length > 0, `${name} runs after the tests`)
    for (const { uses, run } of steps) {
      if (uses !== undefined) t.match(uses, /^[\w-]+\/[\w-]+@[0-9a-f]{40}$/, `${name}: pinned by commit`)
      if (run === undefined) continue
      t.notMatch(run, /\$\{\{/, `${name}: no expression in a script`)
      const script = /^npm (?:run )?(?!ci|publish|run)(\S+)/.exec(run)?.[1]
      if (script !== undefined) t.ok(script in manifest.scripts, `${name}: npm run ${script}`)
      else
        t.match(
          run,
          /^(?:npm (?:ci|publish) ?|helm |mv |gh release create |pipx run (?:build|twine) |mvn )/,
          `${name}: a known program`,
        )
    }
  }
  const text = read('.github/workflows/release.yml')
  t.match(text, /npm publish \.\/dist\/package --provenance/)
  t.match(text, /platforms: linux\/amd64,linux\/arm64/)
  t.match(text, /provenance: mode=max\n +sbom: true/)
  t.ok(readdirSync(join(ROOT, 'deploy', 'helm')).includes('svc'))
  t.end()
})
