/**
 * Writes the package that is published, complete: `npm run build [-- --out <folder>]`, by default to `dist/package`. Needs
 * the development dependencies.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { writeScripts } from './scripts.ts'
import { billOfMaterials } from './bill-of-materials.ts'
import { componentsOf } from './components.ts'
import { writeLicenses } from './licenses.ts'
import { keepReachableTypes } from './reachable-types.ts'
import { INSTALLED, PUBLISHED_FILES, publishedManifest, type Manifest } from './published.ts'

const PRODUCT = join(import.meta.dirname, '..')
const MIB = 1024 * 1024
/** Below `PUBLISHED_FILES`: installed packages, lock files, and what generates the files of `proto`. */
const NOT_PUBLISHED = /node_modules|package-lock\.json$|^proto[/\\](package\.json|.*\.ts)$/

const { values } = parseArgs({ options: { out: { type: 'string', default: join('dist', 'package') } } })
const target = resolve(PRODUCT, values.out)
/** Temporary folder in the target's parent: the target is never incomplete. */
const out = `${target}.${process.pid}`

// No source maps for browser clients.
process.env.NODE_ENV = 'production'
try {
  const tsc = typeScriptCompiler()
  if (tsc === null) {
    process.stderr.write(
      'the package can\'t be built without the development dependencies, such as TypeScript: run "npm ci" (without --omit=dev) first\n',
    )
    process.exitCode = 1
  } else {
    await build(tsc)
    rmSync(target, { recursive: true, force: true })
    renameSync(out, target)
    process.stdout.write(`${shown()}\n`)
  }
} finally {
  rmSync(out, { recursive: true, force: true })
}

function typeScriptCompiler(): string | null {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  } catch {
    return null
  }
}

async function build(tsc: string): Promise<void> {
  mkdirSync(out, { recursive: true })
  const checkout = JSON.parse(readFileSync(join(PRODUCT, 'package.json'), 'utf8')) as Manifest
  const manifest = publishedManifest(checkout)
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  for (const name of PUBLISHED_FILES) {
    const from = join(PRODUCT, name)
    cpSync(from, join(out, name), { recursive: true, filter: file => !NOT_PUBLISHED.test(relative(PRODUCT, file)) })
  }
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.types.json', '--outDir', join(out, 'types')], {
    cwd: PRODUCT,
    stdio: 'inherit',
  })
  keepReachableTypes(join(out, 'types'), typeEntries(checkout))
  const inputs = await writeScripts(PRODUCT, out, Object.keys(checkout.dependencies))
  const components = componentsOf(PRODUCT, inputs, INSTALLED)
  writeLicenses(components, PRODUCT, join(out, 'THIRD-PARTY-LICENSES.txt'))
  writeFileSync(join(out, 'sbom.cdx.json'), billOfMaterials(manifest, components, timeOfSources()))
}

/** The declarations of `exports`. */
function typeEntries({ exports }: Manifest): string[] {
  const patterns = Object.values(exports).flatMap(target => (typeof target === 'string' ? [] : [target.types]))
  return patterns.flatMap(pattern => {
    const [before, after] = pattern.split('*') as [string, string?]
    if (after === undefined) return [join(out, pattern)]
    return readdirSync(join(out, before))
      .map(name => join(out, before, name + after))
      .filter(file => existsSync(file))
  })
}

/** `SOURCE_DATE_EPOCH`, in seconds, otherwise the time of the commit; 1970 without either. */
function timeOfSources(): Date {
  const given = process.env.SOURCE_DATE_EPOCH
  if (given !== undefined && /^\d{1,11}$/.test(given)) return new Date(Number(given) * 1000)
  try {
    const seconds = execFileSync('git', ['log', '-1', '--format=%ct'], {
      cwd: PRODUCT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return new Date(Number(seconds) * 1000)
  } catch {
    return new Date(0)
  }
}

function shown(): string {
  const files = readdirSync(target, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const bytes = files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0)
  return `${relative(PRODUCT, target)}: ${files.length} files, ${(bytes / MIB).toFixed(1)} MiB`
}
