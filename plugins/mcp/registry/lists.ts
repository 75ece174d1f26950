/** Owns the four lists of a server, rendered once per protocol revision and served in pages. */
import { createHash } from 'node:crypto'
import { invalidParams } from '../errors.ts'
import type { Selection } from './selection.ts'
import type { ListName } from '../types.ts'
import { STATELESS, type Version } from '../protocol/versions.ts'
import { renderPrompt, renderResource, renderTemplate, renderTool } from './definitions.ts'

/** The lists, named like their members in results. */
export type ListKind = 'tools' | 'resources' | 'resourceTemplates' | 'prompts' | 'skills'

export interface ListPages {
  /**
   * A page as the JSON text of a list result. Throws -32602 if the cursor is not from this list. `shows` selects the tools
   * that the caller may see.
   */
  page(kind: ListKind, version: Version, cursor: unknown, pageSize: number, shows?: (tool: string) => boolean): string
  /** A digest of a list, to detect changes after a reload. */
  fingerprint(list: ListName): string
}

export class Lists implements ListPages {
  readonly #selection: Selection
  /** JSON texts of the items, by `<kind> <version>`. */
  readonly #items = new Map<string, string[]>()
  readonly #whole = new Map<string, string>()

  constructor(selection: Selection) {
    this.#selection = selection
  }

  page(kind: ListKind, version: Version, cursor: unknown, pageSize: number, shows?: (tool: string) => boolean): string {
    const items = this.#render(kind, version)
    if (shows && kind === 'tools') {
      const names = [...this.#selection.tools.keys()]
      const shown = items.filter((_, index) => shows(names[index]!))
      return pageText(kind, kind, shown, cursor, pageSize)
    }
    if ((cursor === undefined || cursor === null) && items.length <= pageSize)
      return this.#renderWhole(kind, version, items)
    return pageText(kind, kind, items, cursor, pageSize)
  }

  fingerprint(list: ListName): string {
    const kinds: ListKind[] = list === 'resources' ? ['resources', 'resourceTemplates'] : [list]
    return createHash('sha256')
      .update(kinds.map(kind => this.#render(kind, STATELESS).join(',')).join(';'))
      .digest('base64')
  }

  #render(kind: ListKind, version: Version): string[] {
    const key = `${kind} ${version.name}`
    let items = this.#items.get(key)
    if (!items) {
      items = this.#show(kind, version).map(item => JSON.stringify(item))
      this.#items.set(key, items)
    }
    return items
  }

  #renderWhole(kind: ListKind, version: Version, items: string[]): string {
    const key = `${kind} ${version.name}`
    let text = this.#whole.get(key)
    if (text === undefined) {
      text = `{"${kind}":[${items.join(',')}]}`
      this.#whole.set(key, text)
    }
    return text
  }

  #show(kind: ListKind, version: Version): object[] {
    const { tools, resources, templates, prompts, skills } = this.#selection
    if (kind === 'skills') return skills.filter(({ isListed }) => isListed).map(({ entry }) => entry)
    if (kind === 'tools') return [...tools.values()].map(tool => renderTool(tool.definition, version))
    if (kind === 'resources') return [...resources.values()].map(resource => renderResource(resource, version))
    if (kind === 'resourceTemplates') return templates.map(template => renderTemplate(template.definition, version))
    return [...prompts.values()].map(prompt => renderPrompt(prompt, version))
  }
}

/** A page of items that are JSON texts. `list` distinguishes the cursors of different lists. */
export function pageText(member: string, list: string, items: string[], cursor: unknown, pageSize: number): string {
  const start = readCursor(list, cursor, items.length)
  const end = start + pageSize
  const page = items.slice(start, end).join(',')
  return end < items.length
    ? `{"${member}":[${page}],"nextCursor":"${writeCursor(list, end)}"}`
    : `{"${member}":[${page}]}`
}

/** An opaque cursor: base64url of the kind and position. */
function writeCursor(kind: string, position: number): string {
  return Buffer.from(`${kind}:${position}`).toString('base64url')
}

function readCursor(kind: string, cursor: unknown, count: number): number {
  if (cursor === undefined || cursor === null) return 0
  const text =
    typeof cursor === 'string' && cursor.length <= 64 ? Buffer.from(cursor, 'base64url').toString('latin1') : ''
  const position = Number(/^(\w+):([1-9]\d{0,8})$/.exec(text)?.[2])
  // Comparing with the written form rejects other spellings and cursors of other lists.
  if (!(position < count) || writeCursor(kind, position) !== cursor) throw invalidParams('Invalid cursor')
  return position
}
