/** Packages that plugins import: CommonJS, ES modules, and ES modules that Node can only import. */
import t from 'tap'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { loadPlugin, type LoadOptions } from '../../../core/host/module-loader.ts'

const root = mkdtempSync(join(tmpdir(), 'svc-imports-'))
t.teardown(() => rmSync(root, { recursive: true, force: true }))

/** The packages of each plugin: files by name. */
const PACKAGES: Record<string, { manifest: object; code: string }> = {
  'commonjs-package': {
    manifest: { main: 'index.js' },
    code: 'module.exports = () => "called"; module.exports.named = "named"',
  },
  'module-package': {
    manifest: { type: 'module', exports: './index.js' },
    code: 'export default () => "called"; export const named = "named"',
  },
  'awaiting-package': {
    manifest: { type: 'module', exports: './index.js' },
    code: 'export const named = await Promise.resolve("named"); export default () => "called"',
  },
  'import-only-package': {
    manifest: { type: 'module', exports: { import: './index.js' } },
    code: 'export default () => "called"; export const named = "named"',
  },
  'endless-package': {
    manifest: { type: 'module', exports: './index.js' },
    code: 'await new Promise(() => {}); export const named = 1',
  },
  'failing-package': {
    manifest: { type: 'module', exports: './index.js' },
    code: 'await Promise.reject(new Error("out of order")); export const named = 1',
  },
}

let count = 0

/** Loads a plugin with this code. `type` is that of its package.json; null: it has none. */
async function titleOf(code: string, type: 'module' | 'commonjs' | null = null, options: LoadOptions = {}) {
  const folder = join(root, `plugin${++count}`)
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  for (const [name, { manifest, code }] of Object.entries(PACKAGES)) {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', ...manifest }))
    write(`node_modules/${name}/index.js`, code)
  }
  if (type !== null) write('package.json', JSON.stringify({ name: 'plugin', type }))
  write('index.ts', code)
  const found = { name: 'x', source: 'directory', entry: join(folder, 'index.ts'), folder }
  return (await loadPlugin(found as never, options)).title
}

const definition = (title: string): string => `export default { title: ${title}, paths: [], register() {} }`

t.test('default and named imports work, whatever kind of package and plugin [HOST-14]', async t => {
  for (const name of ['commonjs-package', 'module-package', 'awaiting-package', 'import-only-package']) {
    for (const type of [null, 'module', 'commonjs'] as const) {
      const code = `import call, { named } from '${name}'\n${definition('`${call()}, ${named}`')}`
      t.equal(await titleOf(code, type), 'called, named', `${name} in ${type ?? 'a folder without package.json'}`)
    }
  }
})

t.test('a package is found for the file of a plugin that imports it [HOST-14]', async t => {
  const code = `import * as all from 'awaiting-package'\n${definition('Object.keys(all).sort().join()')}`
  t.equal(await titleOf(code, 'module'), 'default,named')
})

t.test('the reason why a package cannot be loaded is given [HOST-14]', async t => {
  const importing = (name: string): string => `import { named } from '${name}'\n${definition('String(named)')}`
  await t.rejects(titleOf(importing('failing-package')), { message: 'out of order' })
  await t.rejects(titleOf(importing('endless-package'), null, { maxRunMs: 200 }), {
    message: 'the package endless-package was not loaded within 0.2 s',
  })
  await t.rejects(titleOf(importing('missing-package')), { message: /missing-package/ })
  const required = `const { named } = require('awaiting-package')\n${definition('String(named)')}`
  await t.rejects(titleOf(required), {
    message:
      'awaiting-package can only be imported with an import statement: write "import … from \'awaiting-package\'"',
  })
})

t.test("top-level await in a plugin's own files is refused with what to do instead [HOST-14]", async t => {
  await t.rejects(titleOf(`const title = await Promise.resolve('x')\n${definition('title')}`), {
    message: /index\.ts:1:15: the files of a plugin cannot use top-level await: await in register/,
  })
})
