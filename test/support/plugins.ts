/** Plugin folders written by a test. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

interface Test {
  teardown(callback: () => unknown): unknown
}

/** A folder of plugins: `{ name: source of index.ts }`, or `{ 'name/file.js': source }`. Removed with the test. */
export function pluginFolder(t: Test, plugins: Record<string, string>): PluginFolder {
  const folder = mkdtempSync(join(tmpdir(), 'svc-plugins-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const written = {
    folder,
    write: (name: string, source: string) => write(folder, name, source),
    remove: (name: string) => rmSync(join(folder, name), { recursive: true }),
  }
  for (const [name, source] of Object.entries(plugins)) written.write(name, source)
  return written
}

export interface PluginFolder {
  folder: string
  write(name: string, source: string): void
  remove(name: string): void
}

function write(folder: string, name: string, source: string): void {
  const path = join(folder, name.includes('/') ? name : `${name}/index.ts`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, source)
}

/** Source of a plugin with one route `/<path>` that answers `text`; `definition` and `body` add to it. */
export function plugin(path: string, text: string, { definition = '', body = '', head = '' } = {}): string {
  return `import { definePlugin, describe } from 'svc/plugin'
${head}
export default definePlugin({
  title: '${path}',
  paths: ['/${path}'],
  ${definition}
  async register(app, svc) {
    ${body}
    app.get('/${path}', describe({ summary: '${path}', category: 'Test', examples: [{ name: 'Plain', path: '/${path}' }] }), async () => '${text}')
  },
})
`
}
