/** Owns reading a yes-or-no parameter of a query. */
import { isTruthy, type FastifyRequest } from '../host/plugin.ts'

/** Whether the first `name` in the query is `1`, `true`, `yes` or `on`; `?name` alone is not. */
export function queryFlag(request: FastifyRequest, name: string): boolean {
  const mark = request.url.indexOf('?')
  return mark >= 0 && isTruthy(new URLSearchParams(request.url.slice(mark + 1)).get(name))
}
