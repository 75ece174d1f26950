/** The source files and their syntax trees. */
import { parse } from '@babel/parser'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

export const root = join(import.meta.dirname, '..', '..')
const folders = ['backends', 'bin', 'core', 'plugins', 'examples']

/** A node of the syntax tree (Babel's form). */
export interface SyntaxNode {
  type: string
  start?: number
  end?: number
  [member: string]: unknown
}

/** Source files without tests and type declarations, relative to the project. */
export function sourceFiles(): string[] {
  return folders
    .flatMap(folder => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter(entry => entry.isFile() && /\.(?:[cm]?[jt]s|tsx)$/.test(entry.name))
    .filter(entry => !/\.(?:test|d)\.[cm]?ts$/.test(entry.name) && !entry.parentPath.includes('node_modules'))
    .map(entry => relative(root, join(entry.parentPath, entry.name)))
    .sort()
}

/** Text and syntax tree of a file. */
export function parseSource(file: string): { source: string; program: SyntaxNode } {
  const source = readFileSync(join(root, file), 'utf8')
  const plugins = file.endsWith('.tsx') ? (['typescript', 'jsx'] as const) : (['typescript'] as const)
  return {
    source,
    program: parse(source, { sourceType: 'module', plugins: [...plugins] }).program as unknown as SyntaxNode,
  }
}

export function isSyntaxNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}

/** All nodes of a tree, parents before children. */
export function* nodesOf(value: unknown): Generator<SyntaxNode> {
  if (Array.isArray(value)) {
    for (const item of value) yield* nodesOf(item)
  } else if (isSyntaxNode(value)) {
    yield value
    for (const member of Object.values(value)) if (typeof member === 'object') yield* nodesOf(member)
  }
}

/** Line of an offset, from 1. */
export function lineOf(source: string, offset: number): number {
  return source.slice(0, offset).split('\n').length
}
