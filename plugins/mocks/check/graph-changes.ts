/** Compares two schemas: which clients break, and how. */
import type { GraphQLSchema } from 'graphql'
import type { Change, Changes } from './report.ts'

/** Changes of what federation adds concern the gateway, not clients. */
const LINKS = /^(?:@?link|link__|federation__|_Any$|_FieldSet$|_Service$|_Entity$|svc__)/
const LIST_LIMIT = 200

/** The changes from one schema to another (`@graphql-inspector/core`). */
export async function compareSchemas(before: GraphQLSchema, after: GraphQLSchema): Promise<Changes> {
  // Loaded here, because few schemas are compared; the rest of the package brings its own parser, which cannot be bundled.
  const [{ diff }, { CriticalityLevel }] = await Promise.all([
    import('@graphql-inspector/core/diff/index'),
    import('@graphql-inspector/core/diff/changes/change'),
  ])
  const found = await diff(before, after)
  const changes = { breaking: [] as Change[], dangerous: [] as Change[], compatible: [] as Change[] }
  const levels = {
    [CriticalityLevel.Breaking]: changes.breaking,
    [CriticalityLevel.Dangerous]: changes.dangerous,
    [CriticalityLevel.NonBreaking]: changes.compatible,
  }
  let isCut = false
  for (const { type, path = '', message, criticality } of found) {
    if (LINKS.test(path)) continue
    const list: Change[] = levels[criticality.level]
    if (list.length < LIST_LIMIT) list.push({ code: type.toLowerCase(), operation: path, message })
    else isCut = true
  }
  const unchanged = changes.breaking.length + changes.dangerous.length + changes.compatible.length === 0
  return { unchanged, ...changes, ...(isCut ? { truncated: true } : {}) }
}
