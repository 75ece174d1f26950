/** The request data available to conditions and templates. */
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
  /** Number of calls of this operation in this session, including this one. */
  count: number
}
