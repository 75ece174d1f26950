/** The formats that `svc import` reads: those of this plugin, and those that others add. */
import { mockoonKind } from '../mockoon/kind.ts'
import { mockserverKind } from '../mockserver/kind.ts'
import { postmanKind } from '../postman/kind.ts'
import type { ImportKind, ImportKinds } from '../types.ts'
import { wiremockKind } from '../wiremock/kind.ts'

const OWN = [wiremockKind, mockserverKind, mockoonKind, postmanKind]

/** A registry with the formats of this plugin. */
export function createKinds(): ImportKinds {
  const kinds = new Map<string, ImportKind>(OWN.map(kind => [kind.id, kind]))
  return {
    register(kind) {
      if (kinds.has(kind.id)) throw new Error(`the kind "${kind.id}" is already registered`)
      kinds.set(kind.id, kind)
    },
    list: () => [...kinds.values()],
  }
}
