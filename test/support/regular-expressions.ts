/** The regular expressions in the sources: literals, and places that build one at run time. */
import { parse } from '@babel/parser'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

export interface Literal { pattern: string; flags: string; places: string[] }
/** A call of `RegExp`, with the text of its arguments. */
export interface BuiltAtRunTime { file: string; built: string }

const root = join(import.meta.dirname, '..', '..')
const folders = ['bin', 'core', 'plugins', 'examples']

/** Every file that is looked at, from the top of the project. */
export function scannedFiles(): string[] {
  return folders.flatMap(folder => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter(entry => entry.isFile() && /\.(?:[cm]?[jt]s|tsx)$/.test(entry.name) && !/\.(?:test|d)\.[cm]?ts$/.test(entry.name) && !entry.parentPath.includes('node_modules'))
    .map(entry => relative(root, join(entry.parentPath, entry.name)))
    .sort()
}

/** All of them, equal literals once. */
export function collectRegularExpressions(): { literals: Literal[]; builtAtRunTime: BuiltAtRunTime[] } {
  const literals = new Map<string, Literal>()
  const builtAtRunTime: BuiltAtRunTime[] = []
  for (const file of scannedFiles()) {
    const source = readFileSync(join(root, file), 'utf8')
    const { program } = parse(source, { sourceType: 'module', plugins: file.endsWith('.tsx') ? ['typescript', 'jsx'] : ['typescript'] })
    for (const node of nodesOf(program)) {
      if (node.type === 'RegExpLiteral') {
        const { pattern, flags } = node as unknown as { pattern: string; flags: string }
        const known = literals.get(`/${pattern}/${flags}`) ?? { pattern, flags, places: [] }
        literals.set(`/${pattern}/${flags}`, known)
        known.places.push(`${file}:${lineOf(source, node.start ?? 0)}`)
      }
      if ((node.type === 'NewExpression' || node.type === 'CallExpression') && isRegExp(node.callee)) builtAtRunTime.push({ file, built: source.slice(node.start ?? 0, node.end ?? 0) })
    }
  }
  return { literals: [...literals.values()], builtAtRunTime }
}

interface Node { type: string; start?: number; end?: number; callee?: unknown }

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}

function isRegExp(callee: unknown): boolean {
  return isNode(callee) && callee.type === 'Identifier' && (callee as unknown as { name: string }).name === 'RegExp'
}

function* nodesOf(value: unknown): Generator<Node> {
  if (Array.isArray(value)) {
    for (const item of value) yield* nodesOf(item)
  } else if (isNode(value)) {
    yield value
    for (const member of Object.values(value)) if (typeof member === 'object') yield* nodesOf(member)
  }
}

function lineOf(source: string, offset: number): number {
  return source.slice(0, offset).split('\n').length
}
