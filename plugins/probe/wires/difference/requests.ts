/** Compares a request as it was sent with the one that arrived. */
import { marksOf, normalized, rankOf } from '../neutral.ts'
import type { Difference, Format, Mark, Params, Part, Request, RequestLimit, SystemText, Tool } from '../types.ts'
import { isEqual } from '../values.ts'
import { Collector, type Scope } from './collector.ts'
import { compareParts, type CallIds } from './parts.ts'
import { compareSchemas } from './schemas.ts'

export function compareRequests(sent: Request, got: Request, scope: Scope): Difference[] {
  const differences = new Collector(scope)
  compareSystem(sent.system, got.system, differences)
  compareTurns(normalized(sent), normalized(got), differences)
  const format = compareFormats(sent, got, differences)
  compareTools(sent, got, format, differences)
  compareChoice(sent, got, format, differences)
  compareParams(sent.params, got.params, differences)
  compareThinking(sent, got, differences)
  if (sent.user !== null && got.user !== sent.user) {
    if (got.user === null) differences.lost('/user', sent.user, cannot(differences, 'user'))
    else differences.changed('/user', sent.user, got.user)
  } else if (sent.user === null && got.user !== null) differences.added('/user', got.user)
  compareMarks(sent, got, differences)
  return differences.found
}

const cannot = ({ scope }: Collector, limit: RequestLimit): boolean => scope.to.request.has(limit)

/** Texts may be joined by white space that has a line feed. */
function compareSystem(sent: readonly SystemText[], got: readonly SystemText[], differences: Collector): void {
  let rest = got.map(({ text }) => text).join('\n')
  for (const [index, { text, after }] of sent.entries()) {
    const at = `/system/${index}`
    const start = rest.indexOf(text)
    if (start === -1) {
      const similar = got[index]?.text
      const isLate = after > 0 && cannot(differences, 'late-system')
      if (similar === undefined || similar === '') differences.lost(at, text, isLate)
      else differences.changed(`${at}/text`, text, similar)
      continue
    }
    const before = rest.slice(0, start)
    if (before.trim() !== '') differences.added(at, before.trim())
    else if (index > 0 && !before.includes('\n'))
      differences.changed(at, text, `${before}${text}`, false, 'joined without a line feed')
    rest = rest.slice(start + text.length)
    const place = got.find(other => other.text.includes(text))?.after ?? 0
    if (after > 0 && place === 0)
      differences.changed(`${at}/after`, after, place, cannot(differences, 'late-system'), 'at the beginning')
  }
  if (rest.trim() !== '') differences.added(`/system/${sent.length}`, rest.trim())
}

function compareTurns(sent: Request, got: Request, differences: Collector): void {
  const ids: CallIds = new Map()
  for (const [index, turn] of sent.turns.entries()) {
    const other = got.turns[index]
    const path = `/turns/${index}`
    if (other === undefined) differences.lost(path, turn)
    else if (other.role !== turn.role) differences.changed(`${path}/role`, turn.role, other.role)
    else compareParts(turn.parts, other.parts, `${path}/parts`, turn.role, { differences, ids })
  }
  for (const [index, turn] of got.turns.entries())
    if (index >= sent.turns.length) differences.added(`/turns/${index}`, turn)
}

/** The name of the tool that stands for the format, if it became one. */
function compareFormats({ format: sent }: Request, got: Request, differences: Collector): string | null {
  const { format } = got
  const path = '/format'
  if (sent === null) {
    if (format !== null) differences.added(path, format)
    return null
  }
  if (format === null) {
    const tool = got.tools.find(({ schema }) => isLikeFormat(sent, schema, differences))
    if (tool === undefined) {
      differences.lost(path, sent)
      return null
    }
    differences.added(path, tool.name, 'a forced tool')
    return tool.name
  }
  if (sent.type !== format.type) differences.changed(`${path}/type`, sent.type, format.type)
  if (sent.name !== null && format.name !== sent.name) {
    if (format.name === null) differences.lost(`${path}/name`, sent.name, cannot(differences, 'format-name'))
    else differences.changed(`${path}/name`, sent.name, format.name)
  } else if (sent.name === null && format.name !== null) differences.added(`${path}/name`, format.name)
  if (sent.type === 'schema' && format.type === 'schema') {
    const { refusedInFormats, schemaKeywords } = differences.scope.to
    const taken = format.hasFewKeywords === true ? schemaKeywords : null
    compareSchemas(sent.schema, format.schema, `${path}/schema`, {
      differences,
      isRefused: keyword => refusedInFormats.has(keyword) || taken?.has(keyword) === false,
    })
  }
  return null
}

function isLikeFormat({ schema }: Format, other: unknown, { scope }: Collector): boolean {
  const trial = new Collector(scope)
  compareSchemas(schema, other, '', { differences: trial, isRefused: () => true })
  return schema !== null && other !== null && trial.found.every(({ kind }) => kind !== 'lost' && kind !== 'changed')
}

function compareTools(sent: Request, got: Request, formatTool: string | null, differences: Collector): void {
  const dropsAll = got.tools.length === 0 && sent.choice?.type === 'none' && cannot(differences, 'choice-none')
  const used = new Set<Tool>()
  let last = -1
  for (const [index, tool] of sent.tools.entries()) {
    const path = `/tools/${index}`
    const place = got.tools.findIndex(other => !used.has(other) && isSameTool(tool, other))
    const other = got.tools[place]
    if (other === undefined) {
      const isVendors = tool.vendor !== undefined && cannot(differences, 'vendor-tools')
      differences.lost(path, tool, dropsAll || isVendors, dropsAll ? 'none may be called' : undefined)
      continue
    }
    used.add(other)
    if (place < last) differences.changed(path, `place ${index}`, `place ${place}`, false, 'another order')
    last = Math.max(last, place)
    compareTool(tool, other, path, differences)
  }
  for (const [index, tool] of got.tools.entries())
    if (!used.has(tool) && tool.name !== formatTool) differences.changed(`/tools/${index}`, undefined, tool)
}

/** A namespace may be in front of the name. */
function isSameTool(one: Tool, other: Tool): boolean {
  if (one.vendor !== undefined) return other.vendor !== undefined && isSameVendorTool(one.vendor, other.vendor)
  return other.name === one.name || (one.namespace !== undefined && other.name.endsWith(one.name))
}

/** `web_search`, `web_search_20250305`, `webSearch` and `googleSearch` all search. */
function isSameVendorTool(one: string, other: string): boolean {
  const [before = '', after = ''] = [one, other].map(name => name.toLowerCase().replace(/[^a-z]/g, ''))
  return after.includes(before) || before.includes(after) || (before.includes('search') && after.includes('search'))
}

function compareTool(sent: Tool, got: Tool, path: string, differences: Collector): void {
  if (sent.vendor !== undefined) return
  const isFlat = cannot(differences, 'namespaces')
  if (sent.name !== got.name) differences.changed(`${path}/name`, sent.name, got.name, isFlat, 'the namespace is in it')
  if (sent.namespace !== undefined && sent.namespace !== got.namespace) {
    if (got.namespace === undefined) differences.lost(`${path}/namespace`, sent.namespace, isFlat)
    else differences.changed(`${path}/namespace`, sent.namespace, got.namespace)
  }
  if ((sent.description ?? '') !== (got.description ?? '')) {
    if (got.description === null) differences.lost(`${path}/description`, sent.description)
    else differences.changed(`${path}/description`, sent.description, got.description)
  }
  const { schemaKeywords } = differences.scope.to
  const takesAll = schemaKeywords === null || got.schemaMember !== undefined
  compareSchemas(asObjectSchema(sent.schema), asObjectSchema(got.schema), `${path}/schema`, {
    differences,
    isRefused: keyword => !takesAll && !schemaKeywords.has(keyword),
  })
}

/** Without arguments: no schema, or an object without properties. */
function asObjectSchema(schema: unknown): unknown {
  return schema === null || isEqual(schema, {}) ? { type: 'object' } : schema
}

function compareChoice(sent: Request, got: Request, formatTool: string | null, differences: Collector): void {
  const { choice } = sent
  const isForced = formatTool !== null
  if (choice === null || (choice.type === 'auto' && got.choice === null)) {
    if (choice === null && got.choice !== null && got.choice.type !== 'auto' && !isForced)
      differences.changed('/choice', null, got.choice)
    else if (choice === null && got.choice !== null) differences.added('/choice', got.choice)
  } else if (!isEqual(choice, got.choice)) {
    const isDropped = choice.type === 'none' && cannot(differences, 'choice-none') && got.tools.length === 0
    const isLoose = choice.type === 'tool' && cannot(differences, 'choice-name') && got.choice?.type === 'required'
    if (got.choice === null) differences.lost('/choice', choice, isDropped)
    else differences.changed('/choice', choice, got.choice, isLoose)
  }
  if (sent.parallel === false && got.parallel !== false) {
    if (got.parallel === null) differences.lost('/parallel', false, cannot(differences, 'parallel-off'))
    else differences.changed('/parallel', false, got.parallel)
  } else if (sent.parallel !== false && got.parallel === false) differences.changed('/parallel', sent.parallel, false)
  else if (sent.parallel === null && got.parallel !== null) differences.added('/parallel', got.parallel)
}

const PARAM_LIMITS: Partial<Record<keyof Params, RequestLimit>> = {
  stop: 'stop',
  seed: 'seed',
  top_k: 'top-k',
  frequency_penalty: 'penalties',
  presence_penalty: 'penalties',
}

function compareParams(sent: Params, got: Params, differences: Collector): void {
  for (const name of new Set([...Object.keys(sent), ...Object.keys(got)]) as Set<keyof Params>) {
    const [before, after] = [sent[name], got[name]]
    const limit = PARAM_LIMITS[name]
    if (before === undefined) differences.added(`/params/${name}`, after)
    else if (after === undefined)
      differences.lost(`/params/${name}`, before, limit !== undefined && cannot(differences, limit))
    else if (!isEqual(before, after)) differences.changed(`/params/${name}`, before, after)
  }
}

/** Effort and budget stand for each other: no vendor says which budget an effort is, so only none of it differs from some. */
function compareThinking({ thinking: sent }: Request, { thinking: got }: Request, differences: Collector): void {
  if (sent === null) {
    if (got !== null) differences.added('/thinking', got)
    return
  }
  const rank = rankOf(sent)
  if (got === null) {
    if (rank !== 'none') differences.lost('/thinking', sent)
    return
  }
  const isOneScale = (sent.effort === null) === (got.effort === null)
  const isOther = isOneScale ? rankOf(got) !== rank : (rankOf(got) === 'none') !== (rank === 'none')
  if (differences.scope.isSameWire ? !isEqual(sent, got) : isOther) differences.changed('/thinking', sent, got)
}

/** A mark is at the same place if the same blocks and texts come before it. */
function compareMarks(sent: Request, got: Request, differences: Collector): void {
  const before = marksOf(sent).map(mark => ({ mark, key: placeOf(sent, mark) }))
  const after = marksOf(got).map(mark => ({ mark, key: placeOf(got, mark) }))
  const isOwn = cannot(differences, 'mark-lifetimes')
  for (const [index, { mark, key }] of before.entries()) {
    const other = after.find(one => one.key === key)?.mark
    // Vendors without lifetimes cache on their own.
    if (other === undefined) differences.lost(`/marks/${index}`, mark, cannot(differences, 'marks') || isOwn)
    else if (
      other.lifetime !== mark.lifetime &&
      mark.lifetime !== 'default' &&
      !(isOwn && other.lifetime === 'default')
    )
      differences.changed(`/marks/${index}/lifetime`, mark.lifetime, other.lifetime, isOwn)
  }
  for (const { mark, key } of after) if (!before.some(one => one.key === key)) differences.added(`/marks`, mark)
}

function placeOf(request: Request, { place }: Mark): string {
  const [, list, first, , second] = place.split('/')
  const index = Number(first)
  if (list === 'tools') return `tool ${request.tools[index]?.name ?? ''}`
  if (list === 'system')
    return `system ${lengthOf(request.system.slice(0, index + 1).map(({ text }) => ({ type: 'text', text })))}`
  const parts = normalized(request).turns[index]?.parts.slice(0, Number(second) + 1) ?? []
  return `turn ${index}: ${lengthOf(parts)}`
}

/** Characters that are not white space, and blocks of other kinds. */
function lengthOf(parts: readonly Part[]): string {
  let characters = 0
  let blocks = 0
  for (const part of parts)
    if (part.type === 'text') characters += part.text.replace(/\s/g, '').length
    else if (part.type !== 'thinking' && part.type !== 'redacted') blocks += 1
  return `${blocks} blocks, ${characters} characters`
}
