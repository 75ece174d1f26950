/** The plugin that `svc new-plugin` creates, as a folder and as a package. */
import t from 'tap'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { install } from '../../support/installed.ts'
import { svc } from '../../support/terminal.ts'

// Each command starts a process, which is slow on a busy machine.
t.setTimeout(600_000)

t.test('the new plugin type-checks, loads, passes its test and can be packed [KIT-4, KIT-5]', async t => {
  const author = await install(t)
  const written = await author.run('svc', ['new-plugin', 'tide-tables'])
  t.match(written, { code: 0, output: /tide-tables\/index\.ts\n[^]*Next:\n {2}cd tide-tables\n/ })
  const cwd = 'tide-tables'
  t.match(await author.run('tsc', [], { cwd }), { code: 0, output: '' })
  t.match(await author.run('npm', ['test'], { cwd }), { code: 0, output: /pass 2\b[^]*fail 0\b/ })
  t.match(await author.run('svc', ['plugins'], { env: { SVC_PLUGINS_DIR: 'tide-tables' } }), {
    code: 0,
    output: /^tide-tables +enabled +0\.1\.0 +directory +\/tide-tables$/m,
  })
  t.match(await author.run('svc', ['new-plugin', 'tide-tables']), {
    code: 1,
    errors: /already exists; nothing was written/,
  })

  const { output } = await author.run('npm', ['pack', '--silent'], { cwd })
  const installed = join(author.folder, 'node_modules', 'svc-plugin-tide-tables')
  mkdirSync(installed)
  await author.run('tar', ['xzf', join(author.folder, cwd, output.trim()), '-C', installed, '--strip-components', '1'])
  rmSync(join(author.folder, cwd), { recursive: true })
  t.strictSame(readdirSync(installed).sort(), ['index.ts', 'package.json'])
  writeFileSync(
    join(author.folder, 'svc.yaml'),
    'plugins: { packages: [svc-plugin-tide-tables], enable: [tide-tables] }\ntide-tables: { greeting: Moin }\n',
  )
  t.match(await author.run('svc', ['check']), { code: 0, output: /svc\.yaml: 0 errors, 0 warnings, 1 of/ })
  t.match(await author.run('svc', ['plugins']), { output: /^tide-tables +enabled +0\.1\.0 +package +\/tide-tables$/m })
})

t.test('invalid and taken names are rejected [KIT-5]', async t => {
  const folder = t.testdir()
  for (const [args, message] of [
    [[], /expected a name/],
    [['Orders'], /"Orders" is not a valid plugin name/],
    [['../x'], /not a valid plugin name/],
    [['echo'], /"echo" is the name of a built-in plugin/],
    [['a', 'b'], /unexpected argument: b/],
  ] as const) {
    t.match(await svc(['new-plugin', ...args], { folder }), { code: 2, errors: message })
  }
  t.strictSame(readdirSync(folder), [])
})
