/**
 * Writes the executable: `npm run build:binary [-- --out <folder>] [--node <path>]`, by default `dist/binary/svc` with the Node
 * of `packing/binary`. It is that Node with the files of `dist/package` in its memory (Node's single executable applications with
 * a virtual file system), for the platform of that Node.
 */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { execFileSync, spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { ensureInstalled } from '../test/runner/manifests.ts'

const PRODUCT = join(import.meta.dirname, '..')
const MIB = 1024 * 1024
const NODE_FOLDER = join('packing', 'binary')
/** Relative to the package: what `svc new-plugin` copies, which is in TypeScript. */
const STARTER = join('examples', 'plugins', 'starter')
const MAIN = 'main.mjs'

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join('dist', 'binary') },
    node: { type: 'string' },
    package: { type: 'string', default: join('dist', 'package') },
  },
})
const folder = resolve(PRODUCT, values.package)
const work = mkdtempSync(join(tmpdir(), 'svc-binary-'))
try {
  if (!existsSync(join(folder, 'dist', 'manifest.json')))
    throw new Error(`${relative(PRODUCT, folder)} is missing: run "npm run build" first`)
  const node = values.node === undefined ? ownNode() : resolve(values.node)
  const target = build(node, resolve(PRODUCT, values.out))
  process.stdout.write(`${relative(PRODUCT, target)}: ${(statSync(target).size / MIB).toFixed(0)} MiB\n`)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
} finally {
  rmSync(work, { recursive: true, force: true })
}

function ownNode(): string {
  ensureInstalled(NODE_FOLDER)
  const home = dirname(createRequire(join(PRODUCT, NODE_FOLDER, 'package.json')).resolve('node/package.json'))
  return join(home, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
}

function build(node: string, out: string): string {
  const name = process.platform === 'win32' ? 'svc.exe' : 'svc'
  const written = join(work, name)
  const config = join(work, 'sea.json')
  writeFileSync(
    config,
    JSON.stringify({
      main: join(import.meta.dirname, 'binary', MAIN),
      mainFormat: 'module',
      executable: stripped(node),
      output: written,
      disableExperimentalSEAWarning: true,
      useVfs: true,
      execArgv: ['--max-semi-space-size=64', '--disable-warning=ExperimentalWarning'],
      assets: { ...filesOf(folder), ...starter() },
    }),
  )
  const { status, stderr } = spawnSync(node, ['--build-sea', config], { encoding: 'utf8' })
  if (status !== 0)
    throw new Error(`${node} can't build an executable, which takes Node.js 26: ${stderr.trim().slice(0, 500)}`)
  // Other systems run it without a signature.
  if (process.platform === 'darwin') execFileSync('codesign', ['--sign', '-', written], { stdio: 'inherit' })
  mkdirSync(out, { recursive: true })
  const target = join(out, name)
  rmSync(target, { force: true })
  copyFileSync(written, target)
  return target
}

/** A copy without symbols, a fifth smaller, where `strip` exists. It has to be stripped before svc is added. */
function stripped(node: string): string {
  if (process.platform === 'win32') return node
  const copy = join(work, 'node')
  copyFileSync(node, copy)
  chmodSync(copy, 0o755)
  return spawnSync('strip', [copy]).status === 0 ? copy : node
}

/** The files below a folder, by their path with `/` from there. */
function filesOf(root: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name))
      .sort()
      .map(file => [relative(root, file).replaceAll('\\', '/'), file]),
  )
}

/** The template of `svc new-plugin` in JavaScript, since the executable can't compile TypeScript. */
function starter(): Record<string, string> {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  const source = join(folder, STARTER, 'index.ts')
  const options = [
    '--ignoreConfig',
    '--noCheck',
    '--target',
    'es2023',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
  ]
  execFileSync(process.execPath, [tsc, ...options, '--outDir', work, source], { stdio: 'inherit' })
  return { [join(STARTER, 'index.js').replaceAll('\\', '/')]: join(work, 'index.js') }
}
