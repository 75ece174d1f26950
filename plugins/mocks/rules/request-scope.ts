/** What rules see of a request, in conditions and in templates alike. */
import type { Json } from '../document/json.ts'

export interface RequestScope {
  method: string
  session: string
  path: ReadonlyMap<string, string>
  query: readonly (readonly [string, string])[]
  header(name: string): string | undefined
  cookies: ReadonlyMap<string, string>
  body(): Json | undefined
  state: Readonly<Record<string, string>>
  /** Of this operation in this session, this call included. */
  count: number
}
