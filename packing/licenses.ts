/** Licenses of bundled packages. */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { homeOf } from './packages.ts'

/** Writes the licenses of all packages that files in `inputs` belong to. */
export function writeLicenses(inputs: readonly string[], target: string): void {
  const homes = new Map(
    inputs.filter(file => file.includes('node_modules')).map(file => [homeOf(file).folder, homeOf(file).name]),
  )
  const texts = [...homes]
    .sort(([, a], [, b]) => (a < b ? -1 : 1))
    .map(([folder, name]) => {
      const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        version: string
        license?: string
      }
      const files = existsSync(folder)
        ? readdirSync(folder).filter(file => /^(licen[cs]e|notice)/i.test(file) || file.endsWith('.LICENSE.txt'))
        : []
      return [
        `${name} ${version} (${license ?? 'see below'})`,
        ...files.map(file => readFileSync(join(folder, file), 'utf8').trim()),
      ].join('\n\n')
    })
  writeFileSync(target, `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`)
}
