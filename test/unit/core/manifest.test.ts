/** The root manifest shows what the product needs at run time. */
import t from 'tap'
import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const FOLDERS = ['backends', 'bin', 'core', 'plugins']
const IMPORT =
  /^(?:import|export)\b(?! type\b)[^'"`;]*?\bfrom '([^']+)'|^import '([^']+)'|\b(?:import|require|resolve)\(\s*'([^'.][^']*)'/gm

/** Dependencies that no import names, with the reason. */
const OTHERWISE: Record<string, string> = {
  '@modelcontextprotocol/sdk': 'types of the protocol',
  '@types/ws': 'types of the plugin contract',
  ws: 'types of the plugin contract; @fastify/websocket uses the same copy',
  'swagger-ui-dist': 'its files are served',
}
/** Imports in texts and templates. */
const NOT_IMPORTED = new Set([
  '…?v=2',
  'k6',
  'svc',
  'openai',
  '@anthropic-ai',
  '@google',
  '@aws-sdk',
  '@smithy',
  'ollama',
  'cohere-ai',
])

interface Manifest {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  peerDependencies?: object
  workspaces?: object
}
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest

/** Names of the packages that the sources import, with a file that does. */
function imported(): Map<string, string> {
  const found = new Map<string, string>()
  for (const folder of FOLDERS)
    for (const entry of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.(?:[cm]?ts|tsx|mjs)$/.test(entry.name) || entry.parentPath.includes('node_modules'))
        continue
      const path = join(entry.parentPath, entry.name)
      for (const [, from, bare, called] of readFileSync(path, 'utf8').matchAll(IMPORT)) {
        const id = from ?? bare ?? called!
        if (/^[.#/]|^node:|\$\{/.test(id) || builtinModules.includes(id)) continue
        const name = id.split('/', id.startsWith('@') ? 2 : 1).join('/')
        if (!NOT_IMPORTED.has(name.split('/')[0]!)) found.set(name, path)
      }
    }
  return found
}

t.test('dependencies are what core, plugins and bin import [MAN-1]', async t => {
  const used = imported()
  for (const [name, path] of used) t.ok(manifest.dependencies[name], `${name}, imported by ${path}`)
  for (const name of Object.keys(manifest.dependencies)) t.ok(used.has(name) || OTHERWISE[name] !== undefined, name)
  for (const name of Object.keys(OTHERWISE)) t.ok(manifest.dependencies[name], name)
})

t.test('one manifest, with few tools [MAN-2]', async t => {
  t.equal(manifest.workspaces, undefined)
  t.equal(manifest.peerDependencies, undefined)
  const tools = Object.keys(manifest.devDependencies)
  t.ok(tools.length <= 25, `${tools.length} development dependencies`)
})

t.test('the core reaches the backends of state by one import [MAN-1]', async t => {
  const core = join(ROOT, 'core')
  const naming = readdirSync(core, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => /['"][./]*\/backends\//.test(readFileSync(path, 'utf8')))
  t.strictSame(naming, [join(core, 'state', 'shared-backend.ts')])
})
