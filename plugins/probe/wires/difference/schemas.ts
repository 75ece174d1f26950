/** Compares JSON schemas by their meaning. */
import { isEqual, listOf, membersOf, textOf, type Members } from '../values.ts'
import type { Collector } from './collector.ts'

const MAX_DEPTH = 40
/** Keywords whose value is a list of schemas, one schema, or a map of schemas. */
const LISTS = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
const MAPS = new Set(['properties', '$defs', 'definitions', 'patternProperties'])
/** Where its absence means the same. */
const EMPTY_DEFAULTS = new Set(['properties', 'required', 'description', '$defs', 'definitions'])
/** Only for people and generators. */
const SILENT = new Set(['$schema', 'propertyOrdering', 'title'])

/** `isRefused`: whether the target takes no schema with this keyword. */
export function compareSchemas(
  sent: unknown,
  got: unknown,
  path: string,
  { differences, isRefused }: { differences: Collector; isRefused(keyword: string): boolean },
  depth = 0,
): void {
  const compare = (one: unknown, other: unknown, at: string): void =>
    compareSchemas(one, other, at, { differences, isRefused }, depth + 1)
  if (depth > MAX_DEPTH) return
  if (typeof sent === 'boolean' || typeof got === 'boolean' || sent === null) {
    if (!isEqual(sent, got) && !isEmpty(got)) differences.changed(path, sent, got)
    return
  }
  const before = normalForm(membersOf(sent))
  const after = normalForm(membersOf(got))
  const dropped = Object.keys(before).filter(keyword => !(keyword in after) && isRefused(keyword))
  for (const [keyword, value] of Object.entries(before)) {
    const at = `${path}/${keyword}`
    const other = after[keyword]
    if (SILENT.has(keyword)) continue
    if (other === undefined) differences.lost(at, value, isRefused(keyword), 'the target refuses this keyword')
    else if (MAPS.has(keyword)) compareMaps(membersOf(value), membersOf(other), at, compare, differences)
    else if (LISTS.has(keyword)) compareLists(listOf(value), listOf(other), at, compare, differences)
    else if (keyword === 'items' || keyword === 'additionalProperties' || keyword === 'not') compare(value, other, at)
    else if (keyword === 'enum' || keyword === 'required' || keyword === 'type')
      compareSets(value, other, at, differences)
    else if (keyword === 'description' && dropped.length > 0 && String(other).includes(String(value))) continue
    else if (!isEqual(value, other)) differences.changed(at, value, other)
  }
  for (const [keyword, value] of Object.entries(after)) {
    if (keyword in before || SILENT.has(keyword)) continue
    const at = `${path}/${keyword}`
    if (keyword === 'additionalProperties' && value === false) differences.added(at, value)
    else if (keyword === 'description' && dropped.length > 0) differences.added(at, value, 'tells what was refused')
    else differences.changed(at, undefined, value)
  }
}

const isEmpty = (schema: unknown): boolean =>
  schema === null || (Object.keys(membersOf(schema)).length === 0 && typeof schema !== 'boolean')

/** Types in a sorted list in lower case; null as a type, whether it was `nullable`, a type of a list or of `anyOf`. */
function normalForm(schema: Members): Members {
  const { type, nullable, anyOf, const: only, format, ...rest } = schema
  const form: Members = {}
  for (const [keyword, value] of Object.entries(rest))
    if (!(EMPTY_DEFAULTS.has(keyword) && isEmptyValue(value)) && value !== undefined) form[keyword] = value
  const branches = listOf(anyOf)
  const others = branches.filter(branch => typeOf(branch) !== 'null')
  const types = new Set((Array.isArray(type) ? type : [type]).flatMap(name => textOf(name)?.toLowerCase() ?? []))
  if (nullable === true || others.length < branches.length) types.add('null')
  // A single branch is the schema itself.
  if (others.length === 1) {
    const inner = normalForm(membersOf(others[0]))
    for (const name of listOf(inner.type)) types.add(String(name))
    Object.assign(form, inner)
  } else if (others.length > 1) form.anyOf = others
  if (types.size > 0) form.type = [...types].toSorted()
  if (only !== undefined) form.enum = [only]
  if (typeof format === 'string' && format !== 'enum') form.format = format
  if (Array.isArray(form.enum) && types.has('null')) form.enum = form.enum.filter(value => value !== null)
  return form
}

function isEmptyValue(value: unknown): boolean {
  if (value === null || value === '') return true
  return Array.isArray(value) ? value.length === 0 : typeof value === 'object' && Object.keys(value).length === 0
}

function typeOf(schema: unknown): string | undefined {
  return textOf(membersOf(schema).type)?.toLowerCase()
}

type Compare = (one: unknown, other: unknown, at: string) => void

function compareMaps(one: Members, other: Members, path: string, compare: Compare, differences: Collector): void {
  for (const [name, schema] of Object.entries(one)) {
    const at = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (Object.hasOwn(other, name)) compare(schema, other[name], at)
    else differences.lost(at, schema)
  }
  for (const name of Object.keys(other))
    if (!Object.hasOwn(one, name)) differences.changed(`${path}/${name}`, undefined, other[name])
}

function compareLists(one: unknown[], other: unknown[], path: string, compare: Compare, differences: Collector): void {
  if (one.length !== other.length) return differences.changed(path, one, other)
  for (const [index, schema] of one.entries()) compare(schema, other[index], `${path}/${index}`)
}

/** The order says nothing. Values of an enum may be there as texts. */
function compareSets(one: unknown, other: unknown, path: string, differences: Collector): void {
  const [before, after] = [listOf(one), listOf(other)]
  for (const value of before) if (!after.some(given => isEqual(given, value))) differences.lost(path, value)
  for (const value of after) if (!before.some(given => isEqual(given, value))) differences.changed(path, one, other)
}
