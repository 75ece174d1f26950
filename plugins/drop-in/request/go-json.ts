/** JSON read into a structure, as Go does. */
import { isRecord } from 'svc/toolkit'

/** The members that are read, by name; a list has one shape for all items. */
export type GoShape = 'text' | readonly [GoShape] | { readonly [name: string]: GoShape }

/** With the zero value for what is absent or null; null if a member has another type. Unknown members are left out. */
export function readGo<T>(value: unknown, shape: GoShape): T | null {
  const read = readShape(value, shape)
  return read === MISFIT ? null : (read as T)
}

const MISFIT = Symbol('misfit')

function readShape(value: unknown, shape: GoShape): unknown {
  if (shape === 'text') return value == null ? '' : typeof value === 'string' ? value : MISFIT
  if (isList(shape)) {
    if (value == null) return []
    if (!Array.isArray(value)) return MISFIT
    const items = value.map(item => readShape(item, shape[0]))
    return items.includes(MISFIT) ? MISFIT : items
  }
  if (value != null && !isRecord(value)) return MISFIT
  const members = Object.entries(shape).map(([name, of]) => [name, readShape(value?.[name], of)] as const)
  return members.some(([, member]) => member === MISFIT) ? MISFIT : Object.fromEntries(members)
}

function isList(shape: GoShape): shape is readonly [GoShape] {
  return Array.isArray(shape)
}
