/** Runs before `npm pack`: builds type declarations, then `dist/`. Both need the development dependencies. */
import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const product = join(import.meta.dirname, '..')
const require = createRequire(import.meta.url)
let tsc
try {
  tsc = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc')
} catch {
  process.stderr.write(
    'npm pack needs the development dependencies, such as TypeScript: run "npm ci" (without --omit=dev) first\n',
  )
  process.exit(1)
}
for (const args of [
  [tsc, '-p', 'tsconfig.types.json'],
  ['--import', 'tsx', 'packing/build.ts'],
]) {
  execFileSync(process.execPath, args, { cwd: product, stdio: 'inherit' })
}
