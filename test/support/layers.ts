/**
 * The order of folders inside an area (`core/http`, a large plugin), as its README declares it in the list "Folders", and
 * the imports that violate it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { nodesOf, parseSource, root, type SyntaxNode } from './sources.ts'

export interface FileImport {
  /** Paths inside the area. */
  from: string
  to: string
  /** Whether nothing is left of the import when the code runs. */
  isType: boolean
}

/** What an area looks like. */
export interface Area {
  /** Folders and files at its top. */
  entries: string[]
  imports: FileImport[]
}

/** Reads the sources of an area, a folder of the project. */
export function readArea(folder: string): Area {
  const top = join(root, folder)
  const files = readdirSync(top, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && isSource(entry.name))
    .map(entry => relative(top, join(entry.parentPath, entry.name)))
  return { entries: [...new Set(files.map(entryOf))], imports: files.flatMap(file => importsOf(folder, file)) }
}

function isSource(name: string): boolean {
  return /\.tsx?$/.test(name) && !name.endsWith('.d.ts')
}

/** The imports of a file that stay inside the area. */
function importsOf(folder: string, file: string): FileImport[] {
  const { program } = parseSource(join(folder, file))
  return [...nodesOf(program)].flatMap(node => {
    const target = (node.source as SyntaxNode | null | undefined)?.value ?? dynamicTarget(node)
    if (typeof target !== 'string' || !target.startsWith('.')) return []
    const to = relative(join(root, folder), resolve(root, folder, dirname(file), target))
    return to.startsWith('..') ? [] : [{ from: file, to, isType: isTypeOnly(node) }]
  })
}

/** The target of `import('…')`, which is also how JSDoc-like types name one. */
function dynamicTarget(node: SyntaxNode): unknown {
  if (node.type === 'TSImportType') return (node.argument as SyntaxNode).value
  if (node.type !== 'CallExpression' || (node.callee as SyntaxNode).type !== 'Import') return undefined
  return ((node.arguments as SyntaxNode[])[0] as SyntaxNode | undefined)?.value
}

function isTypeOnly(node: SyntaxNode): boolean {
  if (node.type === 'TSImportType' || node.importKind === 'type' || node.exportKind === 'type') return true
  const names = (node.specifiers ?? []) as SyntaxNode[]
  return names.length > 0 && names.every(name => name.importKind === 'type' || name.exportKind === 'type')
}

/** The folder or file at the top of the area to which a file belongs. */
export function entryOf(file: string): string {
  return file.split('/', 1)[0]!
}

/** The lines of the list "Folders" in a README, from the bottom up; null if it has none. */
export function declaredLayers(folder: string): string[][] | null {
  const text = readFileSync(join(root, folder, 'README.md'), 'utf8')
  const list = /^## Folders\n[^]*?```text\n([^`]*)```/m.exec(text)?.[1]
  if (list === undefined) return null
  const lines = list.split('\n').filter(line => line.trim() !== '')
  // Two spaces or more separate the names from what they contain.
  return lines.map(line => line.split(/\s{2,}/, 1)[0]!.split(' ')).toReversed()
}

/** Entries without a line, lines without an entry, and entries with several lines. */
export function undeclared({ entries }: Area, layers: readonly string[][]): string[] {
  const named = layers.flat()
  return [
    ...entries.filter(entry => !named.includes(entry)).map(entry => `${entry} has no line`),
    ...named.filter(name => !entries.includes(name)).map(name => `${name} does not exist`),
    ...named.filter((name, index) => named.indexOf(name) !== index).map(name => `${name} has two lines`),
  ]
}

/** Imports of an entry from one that is not in a lower line. */
export function upwardImports({ imports }: Area, layers: readonly string[][]): string[] {
  const level = new Map(layers.flatMap((row, index) => row.map(name => [name, index] as const)))
  return imports
    .filter(({ from, to }) => {
      const [above, below] = [entryOf(from), entryOf(to)]
      return above !== below && level.has(above) && level.has(below) && level.get(below)! >= level.get(above)!
    })
    .map(({ from, to }) => `${from} imports ${to}`)
}

/** Pairs of entries (folders, and files at the top of the area) that import each other. */
export function mutualPairs({ imports }: Area): string[] {
  const edges = new Set(imports.map(({ from, to }) => `${entryOf(from)} ${entryOf(to)}`))
  return [...edges].filter(edge => {
    const [a, b] = edge.split(' ') as [string, string]
    return a < b && edges.has(`${b} ${a}`)
  })
}

/** Circles of files that import values from each other, each as its files. */
export function valueCircles({ imports }: Area): string[][] {
  const targets = new Map<string, string[]>()
  for (const { from, to, isType } of imports) if (!isType) targets.set(from, [...(targets.get(from) ?? []), to])
  // Tarjan's strongly connected components.
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const circles: string[][] = []
  const visit = (file: string): void => {
    index.set(file, index.size)
    low.set(file, index.get(file)!)
    stack.push(file)
    for (const target of targets.get(file) ?? []) {
      if (!index.has(target)) visit(target)
      if (stack.includes(target)) low.set(file, Math.min(low.get(file)!, low.get(target)!))
    }
    if (low.get(file) !== index.get(file)) return
    const circle = stack.splice(stack.indexOf(file))
    if (circle.length > 1) circles.push(circle.toSorted())
  }
  for (const file of targets.keys()) if (!index.has(file)) visit(file)
  return circles
}
