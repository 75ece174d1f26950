/** Parses requests of the blocklist operations of Azure AI Content Safety. */
import { isRecord } from 'svc/toolkit'
import type { BlocklistItem } from './azure-blocklists.ts'
import { codePointLength } from './code-points.ts'
import { azureError } from './errors.ts'
import { isTerm } from './term-automaton.ts'

/** The limits of the real service; text lengths in code points. */
const NAME = /^[0-9A-Za-z._~-]{1,64}$/
const MAX_DESCRIPTION = 1024
const MAX_TEXT = 128
const MAX_ITEMS = 100
const MAX_PAGE = 100
const WHOLE_NUMBER = /^\d{1,9}$/

export function checkName(name: string): string {
  if (!NAME.test(name))
    throw azureError(
      'The blocklist name must have 1 to 64 characters: letters, digits, hyphens, underscores, periods or tildes.',
      'blocklistName',
      400,
      'InvalidResourceName',
    )
  return name
}

/** The description: null to remove it, undefined if the body (a JSON Merge Patch, RFC 7396) does not have it. */
export function parseBlocklist(body: Record<string, unknown>, name: string): string | null | undefined {
  if (body.blocklistName !== undefined && body.blocklistName !== name)
    throw azureError('The field blocklistName must match the name in the URL.', 'blocklistName')
  return body.description === null ? null : parseDescription(body.description, 'description')
}

function parseDescription(description: unknown, target: string): string | undefined {
  if (description === undefined) return undefined
  if (typeof description !== 'string') throw azureError(`The field ${target} must be a string.`, target)
  if (codePointLength(description) > MAX_DESCRIPTION)
    throw azureError(`The field ${target} must have at most ${MAX_DESCRIPTION} characters.`, target)
  return description
}

export function parseItems(body: Record<string, unknown>): Omit<BlocklistItem, 'blocklistItemId'>[] {
  return listOf(body, 'blocklistItems').map((item, index) => {
    const target = `blocklistItems[${index}]`
    if (!isRecord(item)) throw azureError(`The field ${target} must be an object.`, target)
    const { text } = item
    if (typeof text !== 'string' || !isTerm(text))
      throw azureError(`The field ${target}.text is required and must be a non-empty string.`, `${target}.text`)
    if (codePointLength(text) > MAX_TEXT)
      throw azureError(`The field ${target}.text must have at most ${MAX_TEXT} characters.`, `${target}.text`)
    const description = parseDescription(item.description ?? undefined, `${target}.description`)
    return { text, ...(description === undefined ? {} : { description }) }
  })
}

export function parseItemIds(body: Record<string, unknown>): string[] {
  const ids = listOf(body, 'blocklistItemIds')
  if (!ids.every(id => typeof id === 'string'))
    throw azureError('The field blocklistItemIds must be a list of strings.', 'blocklistItemIds')
  return ids
}

function listOf(body: Record<string, unknown>, field: string): unknown[] {
  const list = body[field]
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_ITEMS)
    throw azureError(`The field ${field} is required and must be a list of 1 to ${MAX_ITEMS} items.`, field)
  return list as unknown[]
}

export interface Page {
  skip: number
  /** Limit over all pages; absent: no limit. */
  top?: number
  size: number
}

export function parsePage(query: URLSearchParams): Page {
  const number = (name: string): number | undefined => {
    const text = query.get(name)
    if (text === null) return undefined
    if (!WHOLE_NUMBER.test(text))
      throw azureError(
        `The query parameter ${name} must be a non-negative integer.`,
        name,
        400,
        'InvalidQueryParameterValue',
      )
    return Number(text)
  }
  const top = number('top')
  const size = number('maxpagesize') ?? MAX_PAGE
  if (size === 0)
    throw azureError(
      'The query parameter maxpagesize must be at least 1.',
      'maxpagesize',
      400,
      'InvalidQueryParameterValue',
    )
  return { skip: number('skip') ?? 0, size: Math.min(size, MAX_PAGE), ...(top === undefined ? {} : { top }) }
}

/** The entries of a page, and the next page; null after the last one. */
export function cutPage<T>(all: readonly T[], { skip, top, size }: Page): { entries: T[]; next: Page | null } {
  const end = Math.min(all.length, top === undefined ? all.length : skip + top)
  const stop = Math.min(end, skip + size)
  const entries = all.slice(skip, stop)
  return { entries, next: stop >= end ? null : { skip: stop, size, ...(top === undefined ? {} : { top: end - stop }) } }
}
