/** Bundles: their inputs, when early bundles are used, and positions in stack traces. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { bundle, bundleAll, isCurrent, runScript } from '../../../core/host/bundle.mjs'
import { loadPlugin } from '../../../core/host/module-loader.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-bundles-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

function write(path: string, text: string): string {
  const file = join(folder, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
  return file
}

const definition = (title: string): string =>
  `export default { title: ${JSON.stringify(title)}, paths: ['/x'], register() {} }`
const found = (entry: string): never => ({ name: 'x', entry, folder: join(entry, '..') }) as never

t.test('stack traces show the original files and lines', async t => {
  const inner = write(
    'trace/inner.ts',
    'interface Gone {\n  a: string\n}\n\nexport function fail(value?: Gone): never {\n  throw new TypeError(`no ${value?.a}`)\n}\n',
  )
  const entry = write(
    'trace/index.ts',
    "import { fail } from './inner.ts'\n\nexport const run = (): never => fail()\nexport const odd = (): Error => Object.defineProperty(new Error('x'), 'name', { get() { throw new Error('no name') } })\n",
  )
  const { run, odd } = runScript(entry, await bundle(entry)) as { run(): never; odd(): Error }
  const error = t.throws(run) as unknown as Error
  t.match(error.stack, /^TypeError: no undefined\n {4}at /)
  t.ok(error.stack!.includes(`${inner}:6:9`), String(error.stack))
  t.ok(error.stack!.includes(`${entry}:3:`), String(error.stack))
  const here = new Error('of a file that the loader of tests compiled')
  t.match(here.stack, /bundles\.test\.ts:\d+:/, 'others are mapped as before')
  t.type(odd().stack, 'string', 'an error that cannot be printed still has a stack')
})

t.test('bundling several entries gives the same result as one by one', async t => {
  const a = write('many/a/index.ts', "import { x } from './x.ts'\nexport default x")
  const x = write('many/a/x.ts', 'export const x = import' + '.meta.dirname')
  const b = write('many/b/index.ts', 'export default 2')
  const all = await bundleAll([a, b], join(folder, 'many'))
  t.strictSame([...all.keys()].sort(), [a, b].sort())
  t.strictSame([...all.get(a)!.inputs].sort(), [a, x].sort())
  t.equal((runScript(a, all.get(a)!) as { default: unknown }).default, join(folder, 'many/a'))
  t.equal((runScript(b, all.get(b)!) as { default: unknown }).default, 2)
  write('many/b/index.ts', 'export default <')
  await t.rejects(bundleAll([a, b], join(folder, 'many')), 'one that is wrong fails all')
})

t.test('entry files and folders that are symbolic links keep their names', async t => {
  const file = write(
    'mounted/..data/index.ts',
    "import { x } from './x.ts'\nexport const run = (): never => { throw new Error(x) }\n",
  )
  write('mounted/..data/x.ts', "export const x = 'thrown'\n")
  mkdirSync(join(folder, 'mounted/orders'))
  symlinkSync(file, join(folder, 'mounted/orders/index.ts'))
  symlinkSync(join(folder, 'mounted/..data'), join(folder, 'mounted/linked'))
  const entries = ['orders', 'linked'].map(name => join(folder, 'mounted', name, 'index.ts'))
  for (const bundles of [
    await bundleAll(entries, join(folder, 'mounted')),
    new Map([
      [entries[0]!, await bundle(entries[0]!)],
      [entries[1]!, await bundle(entries[1]!)],
    ]),
  ]) {
    for (const entry of entries) {
      const { run } = runScript(entry, bundles.get(entry)!) as { run(): never }
      const error = t.throws(run, { message: 'thrown' }) as unknown as Error
      t.match(error.stack, /index\.ts:2:/, entry)
      t.equal(bundles.get(entry)!.inputs.length, 2)
      t.ok(isCurrent({ ...bundles.get(entry)!, startedAt: Date.now() + 1000 }), 'its files are found')
    }
  }
})

t.test('a folder is bundled also below a symbolic link', async t => {
  write('modules/plugin/index.ts', "import { x } from './x.ts'\nexport default x\n")
  write('modules/plugin/x.ts', "export const x = 'below'\n")
  mkdirSync(join(folder, 'author/deep'), { recursive: true })
  symlinkSync(join(folder, 'modules'), join(folder, 'author/deep/linked'))
  const entry = join(folder, 'author/deep/linked/plugin/index.ts')
  const found = await bundle(entry)
  t.equal((runScript(entry, found!) as { default: unknown }).default, 'below')
  t.ok(isCurrent({ ...found!, startedAt: Date.now() + 1000 }), 'its files are found')
})

t.test('an early bundle is used only while its files are unchanged', async t => {
  const entry = write('early/index.ts', definition('first'))
  // File times have the resolution of the kernel's clock.
  await sleep(20)
  const early = Promise.resolve(await bundleAll([entry], join(folder, 'early')))
  t.ok(isCurrent((await early).get(entry)!))
  t.equal((await loadPlugin(found(entry), { early })).title, 'first')
  t.equal((await early).size, 0, 'it serves once')

  const stale = Promise.resolve(await bundleAll([entry], join(folder, 'early')))
  await sleep(20)
  write('early/index.ts', definition('second'))
  t.notOk(isCurrent((await stale).get(entry)!))
  t.equal((await loadPlugin(found(entry), { early: stale })).title, 'second')
  const gone = { code: '', map: '', startedAt: Date.now() + 1000, inputs: [join(folder, 'early/none.ts')] }
  t.notOk(isCurrent(gone))
})
