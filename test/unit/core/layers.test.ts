/**
 * Imports between the folders of a large plugin point downwards, and no files import each other's values in a circle. Its
 * README lists the folders under "Folders", from the top down: a folder imports only those of the lines below its own.
 */
import t from 'tap'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { BUILTIN_FOLDER } from '../../../core/product.ts'

interface Import {
  from: string
  to: string
  isType: boolean
}

/** Plugins that must have the list. */
const LARGE = ['identity']
const STATEMENT = /^(?:import|export)\s+(type\s+)?([^'"]*?)\bfrom\s+'(\.[^']+)'/gm

for (const plugin of readdirSync(BUILTIN_FOLDER).toSorted()) {
  const lines = foldersOf(plugin)
  if (lines.length === 0 && !LARGE.includes(plugin)) continue
  t.test(plugin, t => {
    const root = join(BUILTIN_FOLDER, plugin)
    const imports = importsOf(root)
    const levels = new Map(lines.flatMap((names, level) => names.map(name => [name, level] as const)))
    const partOf = (path: string): string => path.split('/')[0]!
    const parts = new Set(imports.flatMap(({ from, to }) => [partOf(from), partOf(to)]))
    t.same(
      [...parts].filter(part => !levels.has(part)),
      [],
      'every folder is listed',
    )
    t.same(
      [...levels.keys()].filter(part => !existsSync(join(root, part))),
      [],
      'every listed folder exists',
    )
    const upwards = imports.filter(
      ({ from, to }) => partOf(from) !== partOf(to) && levels.get(partOf(to))! <= levels.get(partOf(from))!,
    )
    t.same(
      upwards.map(({ from, to }) => `${from} imports ${to}`),
      [],
      'imports point downwards',
    )
    t.same(circleOf(imports.filter(({ isType }) => !isType)), [], 'no circle of value imports')
    t.end()
  })
}

t.test('a circle is found', t => {
  const value = (from: string, to: string): Import => ({ from, to, isType: false })
  t.same(circleOf([value('a', 'b'), value('b', 'c'), value('c', 'b')]), ['b', 'c', 'b'])
  t.same(circleOf([value('a', 'b'), value('a', 'c'), value('b', 'c')]), [])
  t.end()
})

/** The lines of the list in the README; empty without one. */
function foldersOf(plugin: string): string[][] {
  const file = join(BUILTIN_FOLDER, plugin, 'README.md')
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const list = /^## Folders\n[^#]*?```text\n([^`]*)```/m.exec(text)?.[1] ?? ''
  return list
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(line => line.split(/\s{2,}/, 1)[0]!.split(' '))
}

/** The imports between files of a folder, which are named by their paths in it. */
function importsOf(root: string): Import[] {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts'))
  return files.flatMap(from =>
    [...readFileSync(join(root, from), 'utf8').matchAll(STATEMENT)].flatMap(([, type, names = '', specifier = '']) => {
      const to = relative(root, join(root, dirname(from), specifier))
      const members = names.replaceAll(/[{}\n]/g, ' ').split(',')
      const isType = type !== undefined || members.every(member => member.trim() === '' || /^\s*type\s/.test(member))
      return to.startsWith('..') ? [] : [{ from, to, isType }]
    }),
  )
}

/** The files of a circle, in order; empty without one. */
function circleOf(imports: readonly Import[]): string[] {
  const targets = new Map<string, string[]>()
  for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to])
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return []
    const circle = (targets.get(file) ?? []).map(to => visit(to, [...path, file])).find(found => found.length > 0)
    done.add(file)
    return circle ?? []
  }
  return [...targets.keys()].map(file => visit(file, [])).find(found => found.length > 0) ?? []
}
