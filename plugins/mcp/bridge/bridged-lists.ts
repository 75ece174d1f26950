/** Owns the lists of a bridged server, as the server sent them. */
import { createHash } from 'node:crypto'
import { isRecord } from 'svc/toolkit'
import { type ListKind, type ListPages, pageText } from '../registry/lists.ts'
import { withoutRouting } from '../registry/schema.ts'
import type { JsonObject, ListName } from '../types.ts'
import type { Version } from '../protocol/versions.ts'

export type BridgedItems = Partial<Record<ListKind, JsonObject[]>>

export class BridgedLists implements ListPages {
  #items: BridgedItems = {}
  /** JSON texts of the items, by `<kind> <version>`. */
  readonly #texts = new Map<string, string[]>()

  copy(): BridgedLists {
    const copy = new BridgedLists()
    copy.#items = this.#items
    return copy
  }

  /** Replaces lists; others stay. */
  replace(items: BridgedItems): void {
    this.#items = { ...this.#items, ...items }
    this.#texts.clear()
  }

  items(kind: ListKind): readonly JsonObject[] {
    return this.#items[kind] ?? []
  }

  page(kind: ListKind, version: Version, cursor: unknown, pageSize: number): string {
    const key = `${kind} ${version.name}`
    const texts = this.#texts.get(key) ?? this.items(kind).map(item => JSON.stringify(forVersion(item, version)))
    this.#texts.set(key, texts)
    return pageText(kind, kind, texts, cursor, pageSize)
  }

  fingerprint(list: ListName): string {
    const items = list === 'resources' ? [this.#items.resources, this.#items.resourceTemplates] : this.#items[list]
    return createHash('sha256')
      .update(JSON.stringify(items ?? []))
      .digest('base64')
  }
}

/** Without members that the revision does not know. */
function forVersion(item: JsonObject, version: Version): JsonObject {
  const { title, outputSchema, annotations, icons, execution, _meta, inputSchema, ...others } = item
  const isTool = isRecord(inputSchema)
  return {
    ...others,
    ...(version.titles ? { title, _meta } : {}),
    ...(version.structuredOutput ? { outputSchema } : {}),
    ...(version.annotations ? { annotations } : {}),
    ...(version.descriptions ? { icons, execution } : {}),
    ...(isTool ? { inputSchema: version.routedArguments ? inputSchema : safelyWithoutRouting(inputSchema) } : {}),
  }
}

/** The annotations of a foreign schema may be invalid. */
function safelyWithoutRouting(schema: JsonObject): JsonObject {
  try {
    return withoutRouting(schema)
  } catch {
    return schema
  }
}
