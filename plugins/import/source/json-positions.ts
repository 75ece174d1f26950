/** Finds the positions of items in JSON text, which parsers of JSON do not keep. */
import type { ItemPath } from '../types.ts'

export interface Position {
  /** From 1. */
  line: number
  column: number
}

/** Items are searched in texts of at most this length; in longer ones, findings are at the beginning of the file. */
const MAX_SEARCHED = 4 * 1024 * 1024

/** Offsets of the members of an object or the items of a list, and of what is in them. */
interface Item {
  offset: number
  items: Map<string, Item>
}

/** Returns a function that locates items, or the nearest item around. `text` is valid JSON. The text is scanned once, when it is needed. */
export function jsonPositions(text: string): (path: ItemPath) => Position {
  let root: Item | null = null
  let starts: number[] | null = null
  return path => {
    if (text.length > MAX_SEARCHED) return { line: 1, column: 1 }
    let item = (root ??= scan(text))
    for (const step of path) {
      const next = item.items.get(String(step))
      if (next === undefined) break
      item = next
    }
    const line = linesUntil((starts ??= lineStarts(text)), item.offset)
    return { line, column: item.offset - starts[line - 1]! + 1 }
  }
}

function lineStarts(text: string): number[] {
  return [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)]
}

/** The number of lines that begin at `offset` or before it, by halving: a file can have a finding for each of its members. */
function linesUntil(starts: readonly number[], offset: number): number {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (starts[middle]! <= offset) low = middle + 1
    else high = middle
  }
  return low
}

/** The position of a character. */
export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset)
  const start = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: offset - start + 1 }
}

/** Without recursion. A member is where its key begins, an item of a list where its value does. */
function scan(text: string): Item {
  const root: Item = { offset: Math.max(0, text.search(/\S/)), items: new Map() }
  const open: { item: Item; index: number | null }[] = []
  let pending: Item | null = root
  const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s"{}[\]:,]+/g
  let key: { name: string; offset: number } | null = null
  for (const { 0: token, index: offset } of text.matchAll(tokens)) {
    const around = open.at(-1)
    if (token === '}' || token === ']') {
      open.pop()
      pending = null
    } else if (token === ',') {
      if (around?.index !== null && around !== undefined) around.index++
      pending = null
    } else if (token !== ':') {
      if (around !== undefined && around.index === null && key === null) {
        key = { name: JSON.parse(token) as string, offset }
        continue
      }
      if (around !== undefined) {
        pending = { offset: key?.offset ?? offset, items: new Map() }
        around.item.items.set(key?.name ?? String(around.index), pending)
        key = null
      }
      if (token === '{' || token === '[') open.push({ item: pending ?? root, index: token === '[' ? 0 : null })
    }
  }
  return root
}
