/** Licenses of the packages that are part of the published one. */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Component } from './components.ts'

const LINE = `\n\n${'-'.repeat(80)}\n\n`

/** Writes a heading for each package, `name version (license)`, with the texts of those that are bundled. */
export function writeLicenses(components: readonly Component[], product: string, target: string): void {
  const texts = components.map(({ name, version, license, isBundled, place }) =>
    [`${name} ${version} (${license})`, ...(isBundled ? textsIn(join(product, place)) : [])].join('\n\n'),
  )
  writeFileSync(target, `${texts.join(LINE)}\n`)
}

function textsIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter(file => /^(licen[cs]e|notice)/i.test(file) || file.endsWith('.LICENSE.txt'))
    .sort()
    .map(file => readFileSync(join(folder, file), 'utf8').trim())
}
